# SPDX-License-Identifier: Apache-2.0
"""Who takes turns, and how long a turn takes."""
import contextlib
import os
import statistics
import time

SAMPLE_NS = 50e3  # shorter calls are batched until a sample lasts this long


class PythonTurn:
    """A call that is timed from Python, as its users call it."""
    clock = time.perf_counter_ns

    def __init__(self, call):
        self.call = call

    def run(self, calls=1):
        for _ in range(calls):
            self.call()

    def time(self, batch, budget_ns):
        clock, call = self.clock, self.call
        call()
        samples, begin = [], clock()
        while True:
            start = clock()
            for _ in range(batch):
                call()
            end = clock()
            samples.append((end - start) / batch)
            if end - begin >= budget_ns:
                return samples


class Contestant:
    def __init__(self, owner, way, turn):
        self.owner, self.way, self.turn = owner, way, turn
        self.medians, self.batch = [], 1

    def calibrate(self, enough_ns=2e6):
        """How many calls make a sample, and a first look at the speed."""
        clock = PythonTurn.clock
        calls, start = 0, clock()
        chunk = 1
        while True:
            self.turn.run(chunk)
            calls += chunk
            elapsed = clock() - start
            if elapsed >= enough_ns:
                break
            chunk = min(chunk * 2, 4096)
        self.batch = max(1, int(SAMPLE_NS * calls / elapsed))
        return elapsed / calls

    def take_turn(self, budget_ns):
        self.medians.append(statistics.median(self.turn.time(self.batch, budget_ns)))

    def ns(self):
        return statistics.median(self.medians)


def running_helpers():
    """How many other threads of this process run or want to. The CPU time of a process would not tell: for threads on other CPUs it is as
    old as the last tick."""
    count = 0
    for thread in other_threads():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open("/proc/self/task/%d/stat" % thread, encoding="ascii", errors="replace") as file:
                count += file.read().rpartition(")")[2].split()[0] == "R"
    return count


def other_threads():
    return [int(thread) for thread in os.listdir("/proc/self/task") if int(thread) != os.getpid()]


def settle(limit=2.0):
    """Waits until the helper threads of whoever ran last have stopped spinning: three looks in a row."""
    end, calm = time.monotonic() + limit, 0
    while calm < 3 and time.monotonic() < end:
        calm = calm + 1 if running_helpers() == 0 else 0
        time.sleep(0.002)


class Placement:
    """The caller on the last of its CPUs and all other threads of the process on the others. Left alone, the kernel at times puts a
    helper that it wakes on the caller's CPU, and keeps it there, which costs one library all and another nothing."""

    def __enter__(self):
        self.allowed = os.sched_getaffinity(0)
        self.last = {max(self.allowed)}
        return self

    def renew(self):
        """Before each turn: threads may have been made, and the caller is not kept on its CPU, only put there. Libraries take the
        CPUs it may use for what there is."""
        self.bind_helpers(self.allowed - self.last or self.allowed)
        os.sched_setaffinity(0, self.last)
        os.sched_setaffinity(0, self.allowed)

    def __exit__(self, *error):
        self.bind_helpers(self.allowed)

    @staticmethod
    def bind_helpers(cpus):
        for thread in other_threads():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, cpus)
