// SPDX-License-Identifier: Apache-2.0
#include "perf/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>

#include "perf/report.h"
#include "perf/svg_plot.h"

namespace garner::perf {
namespace {

constexpr const char* style_sheet = R"(
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #1c1c1a; --muted: #5b5a55; --grid: #e3e2dc; --card: #ffffff;
  --jit: #2a6fd0; --copy: #c2571a; --scalar: #14805a; --loop: #7a3fb0; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --page: #161615; --ink: #f1f0eb; --muted: #b9b8b0; --grid: #373733; --card: #1f1f1d;
    --jit: #6aa5f5; --copy: #f08c4e; --scalar: #45c796; --loop: #c09af0; --bad: #ff8a80; } }
body { margin: 0 auto; padding: 24px; max-width: 1120px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 32px 0 4px; } h3 { font-size: 15px; margin: 16px 0 4px; }
p { margin: 4px 0 8px; color: var(--muted); max-width: 80ch; }
figure { margin: 8px 0; padding: 12px; background: var(--card); border: 1px solid var(--grid); border-radius: 6px; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg.key { display: inline-block; width: 30px; height: 16px; vertical-align: -3px; margin-right: 6px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-bottom: 8px; font-size: 14px; }
text { fill: var(--ink); font: 13px system-ui, sans-serif; } text.tick, text.axis { fill: var(--muted); }
text.note { font-variant-numeric: tabular-nums; }
.grid { stroke: var(--grid); stroke-width: 1; } .reference { stroke: var(--ink); stroke-width: 1.5; }
.line { fill: none; stroke-width: 2; } .cap { fill: none; stroke-width: 2.5; }
.hollow { fill: var(--card); stroke-width: 2; } .mark { stroke: var(--card); stroke-width: 1; }
.jit { --c: var(--jit); } .copy { --c: var(--copy); } .scalar { --c: var(--scalar); } .loop { --c: var(--loop); }
.ceiling { --c: var(--ink); } .probe-copy, .probe-stream, .probe-touch { --c: var(--muted); }
.more { --c: var(--jit); }
.mark, .bar { fill: var(--c); } .line, .cap, .hollow { stroke: var(--c); }
.line.probe-copy { stroke-width: 1.3; stroke-dasharray: 2 4; } .line.probe-stream { stroke-width: 1.3; stroke-dasharray: 8 4; }
.line.probe-touch { stroke-width: 1.3; stroke-dasharray: 9 3 2 3; } .line.loop { stroke-dasharray: 5 3; }
.cap.probe-copy, .cap.probe-stream, .cap.probe-touch { stroke-width: 1.3; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; } th { color: var(--muted); font-weight: 600; text-align: left; }
th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--grid); white-space: nowrap; }
td.n { text-align: right; font-variant-numeric: tabular-nums; } td.wrong { color: var(--bad); font-weight: 700; }
code { font: 12px ui-monospace, monospace; }
)";

struct LegendEntry {
  const char* style;
  char mark;
  bool line;
  std::string text;
};

std::string legend(const std::vector<LegendEntry>& entries) {
  std::string html = "<div class=\"legend\">";
  for (const LegendEntry& entry : entries)
    html += fmt::format("<span>{}{}</span>", legend_key_svg(entry.style, entry.mark, entry.line), escaped(entry.text));
  return html + "</div>\n";
}

char mark_of(const std::string& path) { return path == "jit" ? 'o' : path == "copy" ? 's' : '^'; }

std::string setting_of(const Record& record) {
  return fmt::format("{} thread{}, {}{}", record.threads, record.threads == 1 ? "" : "s", record.cache,
                     record.pages == "thp" ? ", huge pages" : "");
}

double rate(const Record& record, double ns) { return ns > 0 ? record.moved_bytes() / ns : 0; }

double footprint(const Record& record) {
  return static_cast<double>(record.data_bytes) + static_cast<double>(record.index_bytes) +
         static_cast<double>(record.output_bytes);
}

bool any(const std::vector<const Record*>& records, bool (*test)(const Record&)) {
  return std::any_of(records.begin(), records.end(), [test](const Record* record) { return test(*record); });
}
bool has_loop(const Record& record) { return record.loop_p50_ns.has_value(); }
bool has_touch(const Record& record) { return record.ceiling && record.ceiling->touch_ns; }

// Rows in groups by a key, in the order of their first appearance.
template <class Key>
std::vector<std::pair<std::string, std::vector<const Record*>>> grouped(const std::vector<const Record*>& records,
                                                                        const Key& key) {
  std::vector<std::pair<std::string, std::vector<const Record*>>> groups;
  for (const Record* record : records) {
    const std::string name = key(*record);
    auto group = std::find_if(groups.begin(), groups.end(), [&name](const auto& g) { return g.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(record);
  }
  return groups;
}

std::string share_section(const std::vector<const Record*>& all) {
  std::vector<const Record*> records;
  for (const Record* record : all) {
    if (record->ceiling) records.push_back(record);
  }
  if (records.empty()) return "";
  std::string html =
      "<h2>Share of the ceiling</h2>\n<p>1 is as fast as this machine moves the bytes: the slowest of copying the "
      "output, streaming "
      "indices and output, and only loading from the same addresses, measured in the same rounds.</p>\n";
  for (const auto& [setting, rows] : grouped(records, setting_of)) {
    RowChart chart{"time of the ceiling over time of the call", 1, "the ceiling", {}};
    std::vector<LegendEntry> entries;
    for (const char* path : {"jit", "copy", "scalar"}) {
      if (std::any_of(rows.begin(), rows.end(), [path](const Record* r) { return r->path == path; }))
        entries.push_back({path, 'b', false, fmt::format("garner, {} path", path)});
    }
    if (any(rows, has_loop)) entries.push_back({"loop", 'd', false, "the hand-written loop"});
    for (const Record* record : rows) {
      ChartRow row{record->name, fmt::format("{:.2f}, {}", record->of_ceiling(), time_text(record->p50_ns)), {}};
      row.marks.push_back({record->of_ceiling(), record->path, 'b',
                           fmt::format("{}: {:.2f} of the ceiling, {:.2f} GB/s", record->name, record->of_ceiling(),
                                       record->gb_per_s())});
      if (record->loop_p50_ns) {
        const double share = record->ceiling->ns / *record->loop_p50_ns;
        row.marks.push_back({share, "loop", 'd', fmt::format("loop: {:.2f} of the ceiling", share)});
      }
      chart.rows.push_back(std::move(row));
    }
    html +=
        fmt::format("<h3>{}</h3>\n<figure>{}{}</figure>\n", escaped(setting), legend(entries), row_chart_svg(chart));
  }
  return html;
}

// The lines or marks of one probe over the rows of a family.
PlotSeries probe_series(const std::vector<const Record*>& rows, const std::string& name, const std::string& style,
                        bool sweep, double (*ns)(const Record&)) {
  PlotSeries series{name, style, sweep ? char{0} : '-', sweep, {}};
  for (const Record* record : rows) {
    const double time = record->ceiling ? ns(*record) : 0;
    if (time > 0)
      series.points.push_back({footprint(*record), rate(*record, time),
                               fmt::format("{}: {} {:.2f} GB/s", record->name, name, rate(*record, time))});
  }
  return series;
}

void add_family(SizePlot& plot, std::vector<const Record*> rows) {
  std::sort(rows.begin(), rows.end(), [](const Record* a, const Record* b) { return footprint(*a) < footprint(*b); });
  std::set<double> sizes;
  for (const Record* record : rows) sizes.insert(footprint(*record));
  const bool sweep = sizes.size() >= 3 && sizes.size() == rows.size();
  if (sweep) {
    plot.series.push_back(
        probe_series(rows, "copy", "probe-copy", true, [](const Record& r) { return r.ceiling->copy_ns; }));
    plot.series.push_back(
        probe_series(rows, "stream", "probe-stream", true, [](const Record& r) { return r.ceiling->stream_ns; }));
    plot.series.push_back(probe_series(rows, "touch", "probe-touch", true,
                                       [](const Record& r) { return r.ceiling->touch_ns.value_or(0); }));
  }
  plot.series.push_back(probe_series(rows, "ceiling", "ceiling", sweep, [](const Record& r) { return r.ceiling->ns; }));
  PlotSeries loop{"loop", "loop", 'd', sweep, {}};
  PlotSeries line{"garner", "jit", 0, sweep, {}};
  for (const Record* record : rows) {
    if (record->loop_p50_ns)
      loop.points.push_back({footprint(*record), rate(*record, *record->loop_p50_ns), record->name + ": loop"});
    line.points.push_back({footprint(*record), record->gb_per_s(), ""});
  }
  plot.series.push_back(std::move(loop));
  if (sweep) plot.series.push_back(std::move(line));
  for (const Record* record : rows) {
    plot.series.push_back({record->path,
                           record->path,
                           mark_of(record->path),
                           false,
                           {{footprint(*record), record->gb_per_s(),
                             fmt::format("{}: {:.2f} GB/s, {}, {}", record->name, record->gb_per_s(),
                                         time_text(record->p50_ns), record->kernel)}}});
  }
}

std::string size_section(const std::vector<const Record*>& records) {
  std::string html =
      "<h2>GB/s against size</h2>\n<p>Bytes of the indices, of the slices read and of the output, per second of the "
      "median call. "
      "Problems that differ in their extents alone are joined by lines, and their probes are drawn as lines; elsewhere "
      "the "
      "ceiling is a stroke above its problem. Rest the pointer on a mark to see which it is.</p>\n";
  for (const auto& [setting, rows] : grouped(records, setting_of)) {
    SizePlot plot;
    bool sweeps = false;
    for (const auto& [family, members] : grouped(rows, family_of)) {
      const size_t before = plot.series.size();
      add_family(plot, members);
      sweeps = sweeps || plot.series[before].line;
    }
    std::vector<LegendEntry> entries;
    for (const char* path : {"jit", "copy", "scalar"}) {
      if (std::any_of(rows.begin(), rows.end(), [path](const Record* r) { return r->path == path; }))
        entries.push_back({path, mark_of(path), false, fmt::format("garner, {} path", path)});
    }
    if (any(rows, has_loop)) entries.push_back({"loop", 'd', sweeps, "the hand-written loop"});
    entries.push_back({"ceiling", '-', sweeps, "ceiling"});
    if (sweeps) {
      entries.push_back({"probe-copy", 0, true, "copy"});
      entries.push_back({"probe-stream", 0, true, "stream"});
      if (any(rows, has_touch)) entries.push_back({"probe-touch", 0, true, "touch"});
    }
    html += fmt::format("<h3>{}</h3>\n<figure>{}{}</figure>\n", escaped(setting), legend(entries), size_plot_svg(plot));
  }
  return html;
}

std::string thread_section(const std::vector<const Record*>& records) {
  RowChart chart{"times as fast as on the fewest threads", 1, "as fast as on the fewest threads", {}};
  const auto problem_key = [](const Record& r) { return r.problem + " " + r.cache + " " + r.pages; };
  for (auto& [key, rows] : grouped(records, problem_key)) {
    // Equal ones stay in the order of the file: their addresses are. (std::stable_sort uses what newer compilers warn of.)
    std::sort(rows.begin(), rows.end(), [](const Record* a, const Record* b) {
      return a->threads != b->threads ? a->threads < b->threads : std::less<>()(a, b);
    });
    const Record& first = *rows.front();
    if (first.threads == rows.back()->threads) continue;
    ChartRow row{first.name + (first.cache == "cold" ? " (cold)" : ""), "", {}};
    for (const Record* record : rows) {
      if (record->threads == first.threads) continue;
      const double speedup = first.p50_ns / record->p50_ns;
      row.marks.push_back({speedup, "more", 'b', fmt::format("{} threads: {:.2f} times", record->threads, speedup)});
      if (record->ceiling && first.ceiling) {
        const double limit = first.ceiling->ns / record->ceiling->ns;
        row.marks.push_back({limit, "ceiling", '|', fmt::format("the ceiling: {:.2f} times", limit)});
      }
      row.note += fmt::format("{}x{:.2f} on {}", row.note.empty() ? "" : ", ", speedup, record->threads);
    }
    // The longest bar below the others, so that each shows.
    std::sort(row.marks.begin(), row.marks.end(), [](const RowMark& a, const RowMark& b) {
      if ((a.mark == 'b') != (b.mark == 'b')) return a.mark == 'b';
      return a.value != b.value ? a.value > b.value : a.hint < b.hint;
    });
    chart.rows.push_back(std::move(row));
  }
  if (chart.rows.empty()) return "";
  return fmt::format(
      "<h2>Threads</h2>\n<p>How much faster a call is with more threads, and how much faster the machine's ceiling "
      "gets.</p>\n"
      "<figure>{}{}</figure>\n",
      legend({{"more", 'b', false, "garner"}, {"ceiling", '|', false, "the ceiling"}}), row_chart_svg(chart));
}

std::string path_section(const std::vector<const Record*>& records) {
  std::string html =
      "<h2>What ran</h2>\n<div "
      "class=\"scroll\"><table>\n<tr><th>problem</th><th>path</th><th>kernel</th><th>types</th><th>setting</th>"
      "<th>p50</th><th>GB/s</th><th>of ceiling</th><th>x loop</th><th>result</th></tr>\n";
  for (const Record* record : records) {
    const bool wrong = record->verified && !*record->verified;
    html += fmt::format(
        "<tr><td title=\"{}\">{}</td><td>{}</td><td><code>{}</code></td><td>{} by {}</td><td>{}</td><td "
        "class=\"n\">{}</td>"
        "<td class=\"n\">{:.2f}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td{}>{}</td></tr>\n",
        escaped(record->problem), escaped(record->name), escaped(record->path), escaped(record->kernel),
        escaped(record->dtype), escaped(record->index_dtype), escaped(setting_of(*record)), time_text(record->p50_ns),
        record->gb_per_s(), record->ceiling ? fmt::format("{:.2f}", record->of_ceiling()) : "-",
        record->vs_loop ? fmt::format("{:.2f}", *record->vs_loop) : "-", wrong ? " class=\"wrong\"" : "",
        wrong              ? "WRONG"
        : record->verified ? "verified"
                           : "unchecked");
  }
  return html + "</table></div>\n";
}

std::string environment_section(const Record& record) {
  std::string html = "<h2>Environment</h2>\n<div class=\"scroll\"><table>\n";
  for (const auto& [key, value] : record.environment)
    html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(key), escaped(value.empty() ? "-" : value));
  return html + "</table></div>\n";
}

}  // namespace

std::string family_of(const Record& record) {
  // Fields 2 and 4 are shapes: their ranks count, not their extents; but K, the last extent of GatherND's indices, makes another
  // problem.
  std::string family;
  int field = 0;
  for (size_t begin = 0; begin <= record.problem.size(); ++field) {
    const size_t end = std::min(record.problem.find(':', begin), record.problem.size());
    std::string part = record.problem.substr(begin, end - begin);
    begin = end + 1;
    if (field == 2 || field == 4) {
      const std::string last = part.substr(part.rfind('x') + 1);
      part = fmt::format("rank{}", std::count(part.begin(), part.end(), 'x') + 1);
      if (field == 4 && record.problem.rfind("gathernd", 0) == 0) part += "k" + last;
    }
    if (part.rfind("seed=", 0) != 0 && part.find("_strides=") == std::string::npos) family += part + ":";
  }
  return fmt::format("{} {} {} {}", family, record.threads, record.cache, record.pages);
}

std::string html_page(const std::vector<Record>& records) {
  std::vector<const Record*> rows;
  for (const Record& record : records) rows.push_back(&record);
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>garner-perf</title>\n<style>";
  html += style_sheet;
  html += "</style>\n</head>\n<body>\n<h1>garner-perf</h1>\n";
  if (records.empty()) return html + "<p>No results.</p>\n</body>\n</html>\n";
  const Record& first = records.front();
  html += fmt::format("<p>{}; {}; {}</p>\n", escaped(first.environment_value("build")),
                      escaped(first.environment_value("cpu")), escaped(first.environment_value("time")));
  html +=
      share_section(rows) + size_section(rows) + thread_section(rows) + path_section(rows) + environment_section(first);
  return html + "</body>\n</html>\n";
}

}  // namespace garner::perf
