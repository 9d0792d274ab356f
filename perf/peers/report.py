# SPDX-License-Identifier: Apache-2.0
"""The comparison's JSON as Markdown: report.py RESULT.json [DOCUMENT.md]; a document gets it between its markers."""
import json
import math
import re
import sys

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
NAMES = {"ort": "ONNX Runtime", "torch": "PyTorch", "numpy": "NumPy"}
ELEMENT_ROWS = re.compile(r"el_|lut|ge_|deberta_c2p|hitnet_b3|i32_bd1_scalar")
HIGH = 1.4  # time over ceiling that is worth a look
WEAK = 1.03  # share of the ceiling above which the probe says nothing


def duration(ns):
    if ns is None:
        return "-"
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return "%.3g %s" % (ns / size, unit) if ns < 999.5 * size else "%.0f %s" % (ns / size, unit)
    return "%.3g ns" % ns


def number(value):
    return "-" if value is None else "%.2f" % value


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def progress_line(row):
    peer = row.get("best_peer")
    best = "%s %s %s" % (peer["name"], peer["way"], duration(peer["ns"])) if peer else "no peer"
    return "%-18s %d  garner %-9s loop x%-5s %-40s x%-6s of ceiling %s%s" % (
        row["name"], row["threads"], duration(row["garner_ns"]), number(row.get("loop_over_garner")), best,
        number(row.get("best_over_garner")), number(row["of_ceiling"]),
        "  WRONG: " + ", ".join(row["wrong"]) if row["wrong"] else "")


def table(rows):
    lines = ["| workload | garner | loop | ONNX Runtime | PyTorch | NumPy | best of the three | best / garner | "
             "loop / garner | of ceiling |",
             "|---|---:|---:|---:|---:|---:|---|---:|---:|---:|"]
    for r in rows:
        peers = r["peers"]
        best = r.get("best_peer")
        cells = ["`%s`" % r["name"], duration(r["garner_ns"]), duration(r["loop_ns"])]
        cells += [duration(peers[name]["ns"]) if name in peers else "-" for name in NAMES]
        cells += ["%s, %s" % (NAMES[best["name"]], best["way"]) if best else "-", number(r.get("best_over_garner")),
                  number(r.get("loop_over_garner")), number(r["of_ceiling"])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def means(rows):
    out = []
    for title, chosen in (("single elements", [r for r in rows if ELEMENT_ROWS.match(r["name"])]),
                          ("slices and tiny calls", [r for r in rows if not ELEMENT_ROWS.match(r["name"])])):
        held = [1 / r["of_ceiling"] for r in chosen if r["of_ceiling"] and r["of_ceiling"] <= WEAK]
        over = geometric_mean(held)
        best = geometric_mean([r.get("best_over_garner") for r in chosen])
        loop = geometric_mean([r.get("loop_over_garner") for r in chosen])
        if chosen:
            out.append("- %s, %d rows: time over ceiling %s, best of the three over garner %s, loop over garner %s; the "
                       "ceiling holds in %d rows, and counts in those" % (
                           title, len(chosen), number(over), number(best), number(loop), len(held)))
    return out


def behind(rows):
    out = []
    for r in rows:
        what = []
        if r.get("best_over_garner", 9) < 1:
            low, high = r.get("best_over_garner_range", [r["best_over_garner"]] * 2)
            what.append("%s takes %.2f (%.2f-%.2f) of its time" % (
                NAMES[r["best_peer"]["name"]], r["best_over_garner"], low, high))
        if r.get("loop_over_garner", 9) < 1:
            what.append("the loop takes %.2f of its time" % r["loop_over_garner"])
        if r["of_ceiling"] and 1 / r["of_ceiling"] > HIGH:
            what.append("%.2f times the ceiling" % (1 / r["of_ceiling"]))
        if what:
            out.append("- `%s`: %s" % (r["name"], "; ".join(what)))
    return out


def weak(rows):
    return ", ".join("`%s` (%.2f)" % (r["name"], r["of_ceiling"]) for r in rows if (r["of_ceiling"] or 0) > WEAK)


def markdown(document):
    m = document["machine"]
    versions = ["garner %s" % document["versions"]["garner"]]
    versions += ["%s %s" % (NAMES[n], document["versions"][n]) for n in NAMES if n in document["versions"]]
    absent = ["%s is absent: %s." % (NAMES[n], why) for n, why in document["absent"].items()]
    caches = ", ".join("%s %s" % (key, m[key]) for key in ("L1", "L2", "L3") if key in m)
    lines = ["%s. %s (family %s, model %s, %s%s), %d CPUs, %s; %s; Python %s." % (
        document["when"], m["cpu"], m["family"], m["model"], m["isa"], ", virtual" if m["hypervisor"] else "",
        m["cpus"], caches, m["system"], m["python"]),
        "%s. %d rounds, %s, load average %s at the start." % (", ".join(versions), document["rounds"], document["clock"],
                                                              m["load"])] + absent
    lines.append("Every output was compared: %s." % (
        "all are equal" if not any(r["wrong"] for r in document["rows"]) else "NOT ALL ARE EQUAL, see the JSON"))
    for threads in sorted({r["threads"] for r in document["rows"]}):
        rows = [r for r in document["rows"] if r["threads"] == threads]
        lines += ["", "### %d thread%s" % (threads, "" if threads == 1 else "s"), ""] + table(rows)
        lines += ["", "Geometric means:", ""] + means(rows)
        slow = behind(rows)
        if slow:
            lines += ["", "Slower than the best of the three or than the loop, or above %.1f times the ceiling:" % HIGH,
                      ""] + slow
        if weak(rows):
            lines += ["", "Above the ceiling, whose probe was disturbed or too weak: %s." % weak(rows)]
    return "\n".join(lines) + "\n"


def place(text, part):
    """The document with what is between its markers replaced."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError("the document has no pair of markers %s and %s" % (BEGIN, END))
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n\n" + part + "\n" + END + rest.split(END)[1]


def main():
    with open(sys.argv[1]) as f:
        part = markdown(json.load(f))
    if len(sys.argv) < 3:
        print(part, end="")
        return
    with open(sys.argv[2]) as f:
        text = place(f.read(), part)
    with open(sys.argv[2], "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
