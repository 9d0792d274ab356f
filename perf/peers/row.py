# SPDX-License-Identifier: Apache-2.0
"""One problem at one thread count: the contestants, the rounds, and what comes out."""
import re
import statistics
import zlib

import arrays
import ort as ort_module
import report
from turns import Contestant, PythonTurn, settle

PRUNE = 1.25  # ways that are this much slower than the best of their library in the trial are left out
PROBES = ("copy", "stream", "touch")


class Row:
    """One problem at one thread count."""

    def __init__(self, case, name, problem, threads, peers, garner, options, placement):
        self.case, self.threads, self.peers, self.options, self.placement = case, threads, peers, options, placement
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
        self.add_best("loop", case.add_rivals("loop", threads), float("inf"))
        for probe in PROBES:
            self.add_best(probe, case.add_rivals(probe, threads), float("inf"), checked=False)
        self.add_ort()
        if peers.torch is not None:
            peers.torch.set_num_threads(threads)
            self.add_best("torch", [(name, PythonTurn(call)) for name, call in
                                    arrays.torch_ways(peers.torch, peers.numpy, case, negative)], PRUNE)
        if peers.use_numpy:
            self.add_numpy(negative)

    def make_room(self):
        """Before anybody is timed."""
        if self.threads > 1:
            settle()
        self.placement.renew()

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
            if checked and not self.right(owner, way, turn):
                continue
            contestant = Contestant(owner, way, turn)
            self.make_room()
            trial.append((min(contestant.calibrate() for _ in range(2)), contestant))
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
            self.make_room()
            contestant.calibrate()
        for number in range(self.options.rounds):
            at = number % len(self.contestants)  # so that nobody always follows the same one
            for contestant in self.contestants[at:] + self.contestants[:at]:
                self.make_room()
                contestant.take_turn(budget)
            if "profiled" in self.extra:
                self.make_room()
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
        for owner in report.NAMES:
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
