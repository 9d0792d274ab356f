# SPDX-License-Identifier: Apache-2.0
"""Who takes turns, and how long a turn takes."""
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


def settle(limit=0.1):
    """Waits until the helper threads of whoever ran last have stopped spinning."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        busy = time.process_time_ns()
        time.sleep(0.002)
        if time.process_time_ns() - busy < 500_000:
            return
