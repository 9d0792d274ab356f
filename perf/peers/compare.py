#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""garner, the hand-written loop, ONNX Runtime, PyTorch and NumPy on the same bytes, in turns; see run.sh."""
import argparse
import datetime
import importlib
import json
import os
import platform
import re
import statistics
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import arrays  # noqa: E402
import native  # noqa: E402
import ort as ort_module  # noqa: E402
import report  # noqa: E402

SAMPLE_NS = 50e3  # shorter calls are batched until a sample lasts this long
PRUNE = 1.25  # ways that are this much slower than the best of their library in the trial are left out
PROBES = ("copy", "stream", "touch")
INFO_NAMES = {"ort": "ONNX Runtime", "torch": "PyTorch", "numpy": "NumPy"}


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


class Peers:
    """The libraries that are there, and for each that is not, why."""

    def __init__(self, options):
        self.absent, self.versions = {}, {}
        self.numpy = self.torch = self.ort = None
        wanted = options.peers.split(",")
        for name in INFO_NAMES:
            if name not in wanted:
                self.absent[name] = "left out by --peers"
        if {"numpy", "torch"} & set(wanted):
            self.numpy = self._module("numpy", "numpy" in wanted)
        if "torch" in wanted:
            self.torch = self._module("torch", True)
            if self.torch is not None and self.numpy is None:
                self.torch = self._miss("torch", "needs NumPy, which is not installed")
        self.use_numpy = self.numpy is not None and "numpy" in wanted
        if "ort" in wanted:
            self._load_ort(options)

    def _miss(self, name, why):
        self.absent[name] = why
        self.versions.pop(name, None)

    def _module(self, name, counts):
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            return self._miss(name, "not installed for %s (%s)" % (sys.executable, error))
        if counts:
            self.versions[name] = module.__version__
        return module

    def _load_ort(self, options):
        path = options.ort or ort_module.find_library(options.node_modules)
        if not path:
            return self._miss("ort", "no libonnxruntime below the folder of node modules")
        try:
            self.ort = ort_module.Ort(path)
            self.versions["ort"] = self.ort.version
        except (OSError, RuntimeError) as error:
            self._miss("ort", str(error))


class Row:
    """One problem at one thread count."""

    def __init__(self, case, name, problem, threads, peers, garner, options):
        self.case, self.threads, self.peers, self.options = case, threads, peers, options
        self.notes, self.contestants, self.released, self.extra = [], [], [], {}
        self.result = {"name": name, "problem": problem, "threads": threads}
        negative = re.search(r":negative=(?!0(?:\.0*)?(?::|$))", problem) is not None
        turn, plan = garner.turn(case, threads)
        self.released.append(turn.release)
        case.spoil_output()
        turn.run()
        self.crc = zlib.crc32(case.output)
        self.result.update(path=plan.get("path"), kernel=plan.get("kernel"), output_bytes=case.facts.output_bytes,
                           checksum="crc32:%08x" % self.crc, wrong=[])
        self.contestants.append(Contestant("garner", "", turn))
        self.add_best("loop", [("%d thread(s)" % n, case.add_loop(n)) for n in sorted({1, threads})], PRUNE)
        for kind, probe in enumerate(PROBES):
            ways = [("%d on %d thread(s)" % (variant, n), turn) for n in sorted({1, threads})
                    for variant, turn in enumerate(case.add_probes(kind, n))]
            self.add_best(probe, ways, 1, checked=False)
        self.add_ort()
        if peers.torch is not None:
            peers.torch.set_num_threads(threads)
            self.add_best("torch", [(name, PythonTurn(call)) for name, call in
                                    arrays.torch_ways(peers.torch, peers.numpy, case, negative)], PRUNE)
        if peers.use_numpy:
            self.add_numpy(negative)

    def right(self, owner, way, turn, result=None):
        """Runs once and compares the output; a contestant that fails is named and left out."""
        self.case.spoil_output()
        try:
            turn.run()
            view = self.case.output if result is None else memoryview(result()).cast("B")
            good = zlib.crc32(view) == self.crc
        except Exception as error:  # a way that a version of a library does not have
            self.notes.append("%s %s: %s" % (owner, way, str(error).split("\n")[0][:120]))
            return False
        if not good:
            self.result["wrong"].append(("%s %s" % (owner, way)).strip())
        return good

    def add_best(self, owner, ways, prune, checked=True):
        """The fastest way of a short trial, and those close to it, take part in the rounds."""
        trial = []
        for way, turn in ways:
            if turn is None or checked and not self.right(owner, way, turn):
                continue
            contestant = Contestant(owner, way, turn)
            trial.append((min(contestant.calibrate() for _ in range(2)), contestant))
            if self.threads > 1:
                settle()
        trial.sort(key=lambda pair: pair[0])
        kept = [c for ns, c in trial if ns <= prune * trial[0][0]][:2]
        self.contestants += kept
        return kept

    def add_numpy(self, negative):
        ways = []
        for name, call, returns in arrays.numpy_ways(self.peers.numpy, self.case, negative):
            turn = PythonTurn(call)
            if returns:
                contiguous = self.peers.numpy.ascontiguousarray
                if not self.right("numpy", name, turn,
                                  lambda c=call: contiguous(c()).reshape(-1).view("uint8")):
                    continue
            elif not self.right("numpy", name, turn):
                continue
            ways.append((name, turn))
        self.add_best("numpy", ways, PRUNE, checked=False)

    def add_ort(self):
        if self.peers.ort is None:
            return
        ways = []
        for graph in ort_module.graphs_of(self.case):
            try:
                ways.append(ort_module.Way(self.peers.ort, self.case, self.threads, graph))
            except RuntimeError as error:
                self.notes.append("ort %s: %s" % (graph[0], str(error).split("\n")[0][:120]))
        self.released += [way.close for way in ways]
        kept = self.add_best("ort", [(way.name, way.turn) for way in ways], PRUNE)
        if not kept:
            return
        way = next(w for w in ways if w.name == kept[0].way)
        if self.case.facts.output_bytes <= ort_module.TINY_BYTES:
            many = Contestant("ort_many", way.name, way.many())
            many.calibrate()
            self.contestants.append(many)
            self.extra["node_of"] = (many, kept[0])
        else:
            self.extra["profiled"] = (way, way.profiled())

    def run(self):
        budget = self.options.turn_ms * 1e6
        for contestant in self.contestants:
            contestant.calibrate()
        for number in range(self.options.rounds):
            at = number % len(self.contestants)  # so that nobody always follows the same one
            for contestant in self.contestants[at:] + self.contestants[:at]:
                contestant.take_turn(budget)
                if self.threads > 1:
                    settle()
            if "profiled" in self.extra:
                turn, start = self.extra["profiled"][1], PythonTurn.clock()
                while True:
                    turn.run()
                    if PythonTurn.clock() - start > budget:
                        break
        return self.summarize()

    def summarize(self):
        by_owner = {}
        for contestant in self.contestants:
            by_owner.setdefault(contestant.owner, []).append(contestant)
        best = {owner: min(cs, key=Contestant.ns) for owner, cs in by_owner.items()}
        r, garner = self.result, best["garner"]
        r["garner_ns"] = garner.ns()
        r["loop_ns"] = best["loop"].ns() if "loop" in best else None
        ceiling = {probe + "_ns": best[probe].ns() if probe in best else None for probe in PROBES}
        known = [ns for ns in ceiling.values() if ns]
        ceiling["ns"] = max(known) if known else None
        ceiling["variants"] = {probe: best[probe].way for probe in PROBES if probe in best}
        r["ceiling"] = ceiling
        r["of_ceiling"] = ceiling["ns"] / r["garner_ns"] if known else None
        r["peers"] = {}
        for owner in INFO_NAMES:
            if owner in best:
                r["peers"][owner] = {"ns": best[owner].ns(), "way": best[owner].way,
                                     "ways": {c.way: c.ns() for c in by_owner[owner]}}
        if "ort" in r["peers"]:
            self.summarize_ort(r["peers"]["ort"])
        if r["peers"]:
            name = min(r["peers"], key=lambda owner: r["peers"][owner]["ns"])
            r["best_peer"] = {"name": name, "way": r["peers"][name]["way"], "ns": r["peers"][name]["ns"]}
            r["best_over_garner"] = r["best_peer"]["ns"] / r["garner_ns"]
            ratios = sorted(p / g for p, g in zip(best[name].medians, garner.medians))
            if r["peers"][name].get("from", "run") == "run":
                r["best_over_garner"] = statistics.median(ratios)
                r["best_over_garner_range"] = [ratios[len(ratios) // 8], ratios[-1 - len(ratios) // 8]]
        if "loop" in best:
            r["loop_over_garner"] = statistics.median(p / g for p, g in zip(best["loop"].medians, garner.medians))
        if self.notes:
            r["notes"] = self.notes
        return r

    def summarize_ort(self, entry):
        """Run() has a cost of its own beside the kernel's; the smaller of both counts."""
        entry["run_ns"], entry["from"] = entry["ns"], "run"
        if "profiled" in self.extra:
            way, turn = self.extra["profiled"]
            times = way.kernel_times(turn)
            entry["kernel_ns"], label = statistics.median(times) if times else None, "profiler"
        else:
            many, one = self.extra["node_of"]
            slopes = [(m - o) / (ort_module.MANY_NODES - 1) for m, o in zip(many.medians, one.medians)]
            entry["kernel_ns"], label = max(statistics.median(slopes), 0.0), "one more node"
        if entry["kernel_ns"] and entry["kernel_ns"] < entry["ns"]:
            entry["ns"], entry["from"] = entry["kernel_ns"], label

    def close(self):
        for release in self.released:
            release()


def read_problems(path):
    problems = []
    with open(path) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words:
                problems.append((words[0], words[-1]))
    return problems


def machine():
    facts = {"system": "%s %s" % (platform.system(), platform.release()), "python": platform.python_version(),
             "cpus": len(os.sched_getaffinity(0))}
    with open("/proc/cpuinfo") as f:
        text = f.read()
    for key, name in (("cpu", "model name"), ("family", "cpu family"), ("model", "model")):
        found = re.search(r"^%s\s*: (.*)$" % name, text, re.M)
        facts[key] = found.group(1) if found else "unknown"
    facts["isa"] = "avx512" if " avx512vl" in text else "avx2" if " avx2" in text else "scalar"
    facts["hypervisor"] = " hypervisor" in text
    for level in range(4):
        try:
            base = "/sys/devices/system/cpu/cpu0/cache/index%d/" % level
            kind, size, number = (open(base + part).read().strip() for part in ("type", "size", "level"))
            if kind != "Instruction":
                facts["L" + number] = size
        except OSError:
            pass
    return facts


def measure_all(options):
    peers, host, garner = Peers(options), native.Host(options.host), native.Garner(options.garner)
    if options.cpu_time:
        host.lib.peers_use_cpu_time()
        PythonTurn.clock = time.thread_time_ns
    if peers.torch is not None:
        peers.torch.set_grad_enabled(False)
    document = {"schema": 1, "when": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
                "machine": machine(), "garner": garner.build, "rounds": options.rounds, "turn_ms": options.turn_ms,
                "clock": "CPU time" if options.cpu_time else "elapsed time",
                "versions": {"garner": garner.version, **peers.versions}, "absent": peers.absent, "rows": []}
    for name, why in peers.absent.items():
        print("%s is absent: %s" % (INFO_NAMES[name], why), file=sys.stderr)
    threads = [int(t) for t in options.threads.split(",")]
    problems = [p for p in read_problems(options.problems) if re.search(options.filter, p[0])]
    if not problems:
        sys.exit("no problem of %s matches '%s'" % (options.problems, options.filter))
    start = time.monotonic()
    for at, (name, problem) in enumerate(problems):
        case = native.Case(host, problem)
        for count in threads:
            row = Row(case, name, problem, count, peers, garner, options)
            document["rows"].append(row.run())
            row.close()
            print(report.progress_line(document["rows"][-1]), file=sys.stderr, flush=True)
        case.close()
        if sys.stderr.isatty():
            spent = time.monotonic() - start
            print("%d of %d, %.0f s left" % (at + 1, len(problems), spent / (at + 1) * (len(problems) - at - 1)),
                  file=sys.stderr)
    document["seconds"] = round(time.monotonic() - start, 1)
    return document


def main():
    p = argparse.ArgumentParser(description=__doc__, prog="perf/peers/run.sh")
    p.add_argument("--quick", action="store_true", help="one thread, few and short rounds")
    p.add_argument("--filter", default="", metavar="REGEX", help="only problems whose names match")
    p.add_argument("--problems", metavar="FILE", help="problem file (perf/problems/workloads.txt)")
    p.add_argument("--threads", metavar="LIST", help="thread counts (1,2)")
    p.add_argument("--peers", default="ort,torch,numpy", metavar="LIST", help="which of ort, torch, numpy")
    p.add_argument("--rounds", type=int, help="rounds (11; quick: 5)")
    p.add_argument("--turn-ms", type=float, help="least time of a turn (4; quick: 2)")
    p.add_argument("--cpu-time", action="store_true",
                   help="time of the CPU, not elapsed: one thread, on a machine that others use at the same time")
    p.add_argument("--node-modules", default=".", metavar="DIR", help="where to look for npm's onnxruntime-node")
    p.add_argument("--ort", metavar="FILE", help="libonnxruntime.so itself")
    p.add_argument("--json", default="peers.json", metavar="FILE")
    p.add_argument("--markdown", default="peers.md", metavar="FILE")
    p.add_argument("--garner", required=True, help=argparse.SUPPRESS)
    p.add_argument("--host", required=True, help=argparse.SUPPRESS)
    options = p.parse_args()
    options.rounds = options.rounds or (5 if options.quick else 11)
    options.turn_ms = options.turn_ms or (2 if options.quick else 4)
    options.threads = options.threads or ("1" if options.quick else "1,2")
    if options.cpu_time and options.threads != "1":
        p.error("--cpu-time counts one thread: give --threads 1")
    document = measure_all(options)
    with open(options.json, "w") as f:
        json.dump(document, f, indent=1)
        f.write("\n")
    with open(options.markdown, "w") as f:
        f.write(report.markdown(document))
    wrong = ["%s at %d thread(s): %s" % (r["name"], r["threads"], ", ".join(r["wrong"]))
             for r in document["rows"] if r["wrong"]]
    for line in wrong:
        print("wrong output: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
