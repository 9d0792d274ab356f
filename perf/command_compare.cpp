// SPDX-License-Identifier: Apache-2.0
// garner-perf compare: two runs of bench, each in units of its own ceilings.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "perf/commands.h"
#include "perf/comparison.h"
#include "perf/input_error.h"
#include "perf/report.h"
#include "perf/statistics.h"

namespace garner::perf {
namespace {

struct CompareOptions {
  std::string before;
  std::string after;
  std::string threshold = "10%";
};

std::string path_text(const RowComparison& row) {
  if (row.before->path == row.after->path) return row.after->path;
  return row.before->path + " -> " + row.after->path;
}

void print_rows(const Comparison& comparison) {
  size_t width = 7;
  for (const RowComparison& row : comparison.rows) width = std::max(width, row.after->name.size());
  width = std::min<size_t>(width, 40);
  fmt::print("{:<{}} {:>3} {:>5} {:>10} {:>10} {:>8} {:>22} {:>6} {:<10} {}\n", "problem", width, "thr", "cache",
             "before", "after", "ceiling", "change (95 %)", "delta", "verdict", "path");
  for (const RowComparison& row : comparison.rows) {
    const auto percent = [](double ratio) { return 100 * (ratio - 1); };
    fmt::print("{:<{}} {:>3} {:>5} {:>10} {:>10} {:>8} {:>22} {:>6} {:<10} {}\n", row.after->name, width,
               row.after->threads, row.after->cache, time_text(row.before->p50_ns), time_text(row.after->p50_ns),
               row.normalised ? fmt::format("{:+.1f} %", percent(row.ceiling_ratio)) : "none",
               fmt::format("{:+.1f} % ({:+.1f} {:+.1f})", percent(row.ratio), percent(row.low), percent(row.high)),
               row.normalised ? fmt::format("{:+.2f}", row.delta) : "-", change_word(row.change), path_text(row));
  }
}

int compare_files(const CompareOptions& options) {
  const double threshold = parse_threshold(options.threshold);
  const std::vector<Record> before = read_records(options.before);
  const std::vector<Record> after = read_records(options.after);
  const Comparison comparison = compare(before, after, threshold);
  if (comparison.rows.empty())
    throw InputError(fmt::format("{} and {} have no row in common", options.before, options.after));
  print_rows(comparison);
  const auto count = [&comparison](Change change) {
    return std::count_if(comparison.rows.begin(), comparison.rows.end(),
                         [change](const RowComparison& row) { return row.change == change; });
  };
  fmt::print("{} rows: {} slower, {} faster by more than {:g} %, {} without change\n", comparison.rows.size(),
             count(Change::slower), count(Change::faster), 100 * threshold, count(Change::none));
  fmt::print(
      "change: of the time in units of the run's own ceiling; of the time itself where there is none. ceiling: how "
      "that "
      "changed.\ndelta: Cliff's delta over the rounds, from -1 (always faster) to 1 (always slower).\n");
  for (const std::string& key : comparison.only_before) fmt::print("only in {}: {}\n", options.before, key);
  for (const std::string& key : comparison.only_after) fmt::print("only in {}: {}\n", options.after, key);
  for (const std::string& warning : comparison.warnings) fmt::print("warning: {}\n", warning);
  const bool wrong = std::any_of(after.begin(), after.end(),
                                 [](const Record& record) { return record.verified && !*record.verified; });
  return comparison.any_slower() || wrong ? exit_wrong : exit_fine;
}

}  // namespace

Command add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  app.add_option("before", options->before, "what bench --json wrote first")->required()->check(not_empty);
  app.add_option("after", options->after, "what it wrote later")->required()->check(not_empty);
  app.add_option("--threshold", options->threshold,
                 "a row that is slower by more, with an interval that leaves out 0, is exit 1")
      ->capture_default_str();
  app.footer(
      "Example:\n"
      "  garner-perf bench --json before.json && ... && garner-perf bench --json after.json\n"
      "  garner-perf compare before.json after.json --threshold 5%");
  return [options] { return compare_files(*options); };
}

}  // namespace garner::perf
