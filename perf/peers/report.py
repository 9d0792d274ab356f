# SPDX-License-Identifier: Apache-2.0
"""The comparison's JSON as Markdown: report.py RESULT.json [DOCUMENT.md...]; a document gets all of it, or the summary, between the
markers that it has."""
import json
import math
import re
import sys

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
SUMMARY_BEGIN, SUMMARY_END = "<!-- peers summary: begin -->", "<!-- peers summary: end -->"
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


def groups(rows):
    """Title and rows of each kind of workload that there is."""
    elements = [r for r in rows if ELEMENT_ROWS.match(r["name"])]
    others = [r for r in rows if not ELEMENT_ROWS.match(r["name"])]
    return [pair for pair in (("single elements", elements), ("slices and tiny calls", others)) if pair[1]]


def means(rows):
    out = []
    for title, chosen in groups(rows):
        held = [1 / r["of_ceiling"] for r in chosen if r["of_ceiling"] and r["of_ceiling"] <= WEAK]
        over = geometric_mean(held)
        best = geometric_mean([r.get("best_over_garner") for r in chosen])
        loop = geometric_mean([r.get("loop_over_garner") for r in chosen])
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


def conditions(document):
    """When, where, and what was compared."""
    m = document["machine"]
    versions = ["garner %s" % document["versions"]["garner"]]
    versions += ["%s %s" % (NAMES[n], document["versions"][n]) for n in NAMES if n in document["versions"]]
    caches = ", ".join("%s %s" % (key, m[key]) for key in ("L1", "L2", "L3") if key in m)
    lines = ["%s. %s (family %s, model %s, %s%s), %d CPUs, %s; %s; Python %s." % (
        document["when"], m["cpu"], m["family"], m["model"], m["isa"], ", virtual" if m["hypervisor"] else "",
        m["cpus"], caches, m["system"], m["python"]),
        "%s. %d rounds, %s, load average %s at the start." % (", ".join(versions), document["rounds"], document["clock"],
                                                              m["load"])]
    lines += ["%s is absent: %s." % (NAMES[n], why) for n, why in document["absent"].items()]
    lines.append("Every output was compared: %s." % (
        "all are equal" if not any(r["wrong"] for r in document["rows"]) else "NOT ALL ARE EQUAL, see the JSON"))
    return lines


def thread_counts(document):
    """(how it is called, rows) for each number of threads."""
    for threads in sorted({r["threads"] for r in document["rows"]}):
        yield "%d thread%s" % (threads, "" if threads == 1 else "s"), [
            r for r in document["rows"] if r["threads"] == threads]


def spread(values):
    values = [v for v in values if v]
    if not values:
        return "-"
    return "%.2f (%.2f to %.2f)" % (geometric_mean(values), min(values), max(values))


def summary(document):
    """Geometric means and extremes, for readers who want to know whether it is worth reading on."""
    lines = ["| workloads | best of the three / garner | loop / garner |", "|---|---:|---:|"]
    for threads, rows in thread_counts(document):
        for title, chosen in groups(rows):
            lines.append("| %d of %s, %s | %s | %s |" % (
                len(chosen), title, threads, spread([r.get("best_over_garner") for r in chosen]),
                spread([r.get("loop_over_garner") for r in chosen])))
    return "\n".join(lines + [""] + conditions(document)) + "\n"


def markdown(document):
    lines = conditions(document)
    for threads, rows in thread_counts(document):
        lines += ["", "### " + threads, ""] + table(rows)
        lines += ["", "Geometric means:", ""] + means(rows)
        slow = behind(rows)
        if slow:
            lines += ["", "Slower than the best of the three or than the loop, or above %.1f times the ceiling:" % HIGH,
                      ""] + slow
        if weak(rows):
            lines += ["", "Above the ceiling, whose probe was disturbed or too weak: %s." % weak(rows)]
    return "\n".join(lines) + "\n"


def place(text, document):
    """The text with the parts between its markers replaced."""
    placed = 0
    for begin, end, part in ((BEGIN, END, markdown), (SUMMARY_BEGIN, SUMMARY_END, summary)):
        if text.count(begin) == 1 and text.count(end) == 1:
            before, rest = text.split(begin)
            text = before + begin + "\n\n" + part(document) + "\n" + end + rest.split(end)[1]
            placed += 1
    if placed == 0:
        raise ValueError("the document has no pair of markers %s and %s, or %s and %s" % (
            BEGIN, END, SUMMARY_BEGIN, SUMMARY_END))
    return text


def main():
    with open(sys.argv[1]) as f:
        document = json.load(f)
    if len(sys.argv) < 3:
        print(markdown(document), end="")
        return
    for name in sys.argv[2:]:
        with open(name) as f:
            text = place(f.read(), document)
        with open(name, "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
