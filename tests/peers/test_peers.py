#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts of perf/peers without a measurement: test_peers.py ROOT"""
import os
import queue
import sys
import tempfile
import threading
import time
import types
import unittest
import zlib

ROOT = sys.argv.pop(1)
sys.path.insert(0, os.path.join(ROOT, "perf", "peers"))

import compare  # noqa: E402
import ort  # noqa: E402
import report  # noqa: E402
import turns  # noqa: E402


def fields(message):
    """The (number, value) pairs of a protocol buffer message."""
    out, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            out.append((key >> 3, varint()))
        else:
            size = varint()
            out.append((key >> 3, message[at:at + size]))
            at += size
    return out


def every(message, number):
    return [value for key, value in fields(message) if key == number]


def case(**values):
    base = dict(elements=False, dtype=1, index_dtype=ort.INT64, op=types.SimpleNamespace(batch_dims=0, axis=0))
    return types.SimpleNamespace(**{**base, **values})


def row(name, **values):
    base = {"name": name, "threads": 1, "garner_ns": 100.0, "loop_ns": 200.0, "loop_over_garner": 2.0,
            "of_ceiling": 0.5, "wrong": [], "peers": {"numpy": {"ns": 90.0, "way": "take"}},
            "best_peer": {"name": "numpy", "way": "take", "ns": 90.0}, "best_over_garner": 0.9}
    return {**base, **values}


def document(rows, absent):
    machine = {"cpu": "X", "family": "1", "model": "2", "isa": "avx2", "hypervisor": False, "cpus": 2, "L1": "32K",
               "system": "Linux", "load": 0.1, "python": "3"}
    return {"when": "2000-01-01", "machine": machine, "versions": {"garner": "0.1.0", "numpy": "1.24"},
            "absent": absent, "rounds": 5, "clock": "elapsed time", "rows": rows}


class Model(unittest.TestCase):
    def test_nodes_and_outputs(self):
        model = ort.encode_model("GatherND", {"batch_dims": 1}, 1, [2, 3], 7, [2, 300, 1], [2, 300], nodes=3)
        self.assertEqual(every(every(model, 8)[0], 2), [13])
        graph = every(model, 7)[0]
        nodes = every(graph, 1)
        self.assertEqual(len(nodes), 3)
        self.assertEqual(every(nodes[2], 1), [b"data", b"indices"])
        self.assertEqual(every(nodes[2], 2), [b"output2"])
        self.assertEqual(every(nodes[2], 4), [b"GatherND"])
        attribute = every(nodes[0], 5)[0]
        self.assertEqual(fields(attribute), [(1, b"batch_dims"), (3, 1), (20, 2)])
        tensor = every(every(every(graph, 11)[1], 2)[0], 1)[0]
        self.assertEqual([every(dim, 1)[0] for dim in every(every(tensor, 2)[0], 1)], [2, 300, 1])

    def test_narrow_indices_are_cast(self):
        model = ort.encode_model("GatherND", {}, 1, [4], 6, [1, 1], [1], cast=True)
        nodes = every(every(model, 7)[0], 1)
        self.assertEqual([every(node, 4)[0] for node in nodes], [b"Cast", b"GatherND"])
        self.assertEqual(every(nodes[1], 1), [b"data", b"wide"])

    def test_ways(self):
        ways = ort.graphs_of(case(data_dims=[9], index_dims=[5, 1], output_dims=[5]))
        self.assertEqual([way[0] for way in ways], ["GatherND", "Gather", "GatherElements"])
        ways = ort.graphs_of(case(data_dims=[4, 9, 3], index_dims=[4, 5, 2], output_dims=[4, 5],
                                  op=types.SimpleNamespace(batch_dims=1, axis=0)))
        self.assertEqual([way[0] for way in ways], ["GatherND"])


class Absent(unittest.TestCase):
    def test_named(self):
        with tempfile.TemporaryDirectory() as empty:
            options = types.SimpleNamespace(peers="ort", ort=None, node_modules=empty)
            peers = compare.Peers(options)
        self.assertIn("no libonnxruntime", peers.absent["ort"])
        self.assertIn("left out", peers.absent["torch"])
        self.assertIn("ONNX Runtime is absent: no libonnxruntime",
                      report.markdown(document([row("el_a", peers={})], peers.absent)))


class Helpers(unittest.TestCase):
    """A thread that works outside the interpreter, like those of the libraries."""

    def setUp(self):
        self.stop, self.ids, data = threading.Event(), queue.Queue(), bytes(1 << 24)

        def work():
            self.ids.put(threading.get_native_id())
            while not self.stop.is_set():
                zlib.crc32(data)

        self.thread = threading.Thread(target=work)
        self.thread.start()
        self.helper = self.ids.get()

    def tearDown(self):
        self.stop.set()
        self.thread.join()

    def wait_for(self, helpers):
        end = time.monotonic() + 30
        while (turns.running_helpers() > 0) != helpers:
            self.assertLess(time.monotonic(), end)

    def test_settle_sees_them(self):
        self.wait_for(True)
        start = time.monotonic()
        turns.settle(0.1)
        self.assertGreaterEqual(time.monotonic() - start, 0.1)
        self.stop.set()
        self.wait_for(False)

    def test_placement(self):
        allowed = os.sched_getaffinity(0)
        with turns.Placement() as placement:
            placement.renew()
            self.assertEqual(os.sched_getaffinity(0), allowed)
            self.assertEqual(os.sched_getaffinity(self.helper), allowed - {max(allowed)} or allowed)
        self.assertEqual(os.sched_getaffinity(self.helper), allowed)


class Report(unittest.TestCase):
    def test_means_and_rows_behind(self):
        text = report.markdown(document([row("el_a"), row("sl_b", best_over_garner=2.0, of_ceiling=1.1)], {}))
        self.assertIn("- single elements, 1 rows: time over ceiling 2.00, best of the three over garner 0.90", text)
        self.assertIn("- `el_a`: NumPy takes 0.90 (0.90-0.90) of its time; 2.00 times the ceiling", text)
        self.assertNotIn("- `sl_b`:", text)
        self.assertIn("too weak: `sl_b` (1.10).", text)
        self.assertIn("all are equal", text)

    def test_wrong_output_shows(self):
        self.assertIn("NOT ALL ARE EQUAL", report.markdown(document([row("el_a", wrong=["numpy take"])], {})))

    def test_place(self):
        for begin, end, words in ((report.BEGIN, report.END, "### 1 thread\n"),
                                  (report.SUMMARY_BEGIN, report.SUMMARY_END, "| 1 of single elements, 1 thread |")):
            old = "a\n%s\nstale\n%s\nb\n" % (begin, end)
            measured = document([row("el_a")], {})
            new = report.place(old, measured)
            self.assertEqual(new, report.place(new, measured))
            self.assertTrue(new.startswith("a\n") and new.endswith("b\n") and words in new and "stale" not in new)
        self.assertRaises(ValueError, report.place, "no markers", document([], {}))

    def test_summary(self):
        rows = [row("el_a", best_over_garner=1.0), row("el_b", best_over_garner=4.0, loop_over_garner=8.0),
                row("sl_c", threads=2, best_over_garner=None)]
        lines = report.summary(document(rows, {"torch": "not wanted"})).split("\n")
        self.assertEqual(lines[2:4], ["| 2 of single elements, 1 thread | 2.00 (1.00 to 4.00) | 4.00 (2.00 to 8.00) |",
                                      "| 1 of slices and tiny calls, 2 threads | - | 2.00 (2.00 to 2.00) |"])
        self.assertIn("PyTorch is absent: not wanted.", lines)

    def test_durations(self):
        self.assertEqual([report.duration(ns) for ns in (None, 1.234, 1500, 2.5e6, 45678e3)],
                         ["-", "1.23 ns", "1.5 us", "2.5 ms", "45.7 ms"])


class Problems(unittest.TestCase):
    def test_all_workloads(self):
        problems = compare.read_problems(os.path.join(ROOT, "perf", "problems", "workloads.txt"))
        self.assertEqual(len(problems), 46)
        self.assertEqual(len({name for name, _ in problems}), 46)


if __name__ == "__main__":
    unittest.main()
