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
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import native  # noqa: E402
import ort as ort_module  # noqa: E402
import report  # noqa: E402
from row import Row  # noqa: E402
from turns import Placement, PythonTurn  # noqa: E402


class Peers:
    """The libraries that are there, and for each that is not, why."""

    def __init__(self, options):
        self.absent, self.versions = {}, {}
        self.numpy = self.torch = self.ort = None
        wanted = options.peers.split(",")
        for name in report.NAMES:
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
    facts["load"] = round(os.getloadavg()[0], 1)  # what others had in hand when it began
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
        print("%s is absent: %s" % (report.NAMES[name], why), file=sys.stderr)
    threads = [int(t) for t in options.threads.split(",")]
    problems = [p for p in read_problems(options.problems) if re.search(options.filter, p[0])]
    if not problems:
        raise ValueError("no problem of %s matches '%s'" % (options.problems, options.filter))
    start = time.monotonic()
    try:
        for at, (name, problem) in enumerate(problems):
            measure_problem(name, problem, threads, host, peers, garner, options, document["rows"])
            if sys.stderr.isatty():
                spent = time.monotonic() - start
                print("%d of %d, %.0f s left" % (at + 1, len(problems), spent / (at + 1) * (len(problems) - at - 1)),
                      file=sys.stderr)
    except KeyboardInterrupt:
        document["interrupted"] = True
    document["seconds"] = round(time.monotonic() - start, 1)
    return document


def measure_problem(name, problem, threads, host, peers, garner, options, rows):
    case = native.Case(host, problem)
    for count in threads:
        with Placement() as placement:
            row = Row(case, name, problem, count, peers, garner, options, placement)
            rows.append(row.run())
            row.close()
        print(report.progress_line(rows[-1]), file=sys.stderr, flush=True)
    case.close()


def write(path, text):
    """The whole file or nothing of it."""
    with open(path + ".part", "w") as f:
        f.write(text)
    os.replace(path + ".part", path)


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
    p.add_argument("--garner", metavar="FILE", required=True, help="libgarner.so (that of the build folder)")
    p.add_argument("--host", required=True, help=argparse.SUPPRESS)
    options = p.parse_args()
    options.rounds = options.rounds or (5 if options.quick else 11)
    options.turn_ms = options.turn_ms or (2 if options.quick else 4)
    options.threads = options.threads or ("1" if options.quick else "1,2")
    if options.cpu_time and options.threads != "1":
        p.error("--cpu-time counts one thread: give --threads 1")
    try:
        document = measure_all(options)
        write(options.json, json.dumps(document, indent=1) + "\n")
        write(options.markdown, report.markdown(document))
    except (OSError, ValueError, RuntimeError) as error:
        print("run.sh: %s" % error, file=sys.stderr)
        sys.exit(2)
    wrong = ["%s at %d thread(s): %s" % (r["name"], r["threads"], ", ".join(r["wrong"]))
             for r in document["rows"] if r["wrong"]]
    for line in wrong:
        print("wrong output: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 130 if document.get("interrupted") else 0)


if __name__ == "__main__":
    main()
