// SPDX-License-Identifier: Apache-2.0
#include "perf/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "perf/input_error.h"
#include "perf/statistics.h"

namespace garner::perf {
namespace {

// The ratio of two quantities known by their intervals, each in its worst case.
void set_interval(RowComparison& row, const Interval& before, const Interval& after) {
  if (before.low <= 0 || after.low <= 0) return;
  // These count ceilings per time: more of the ceiling is less time.
  row.ratio = before.median / after.median;
  row.low = before.low / after.high;
  row.high = before.high / after.low;
}

RowComparison compare_row(const Record& before, const Record& after, double threshold) {
  RowComparison row;
  row.before = &before;
  row.after = &after;
  row.normalised = before.ceiling && after.ceiling;
  if (row.normalised) {
    row.ratio = before.of_ceiling() / after.of_ceiling();
    row.low = row.high = row.ratio;
    set_interval(row, median_interval(before.of_ceiling_rounds), median_interval(after.of_ceiling_rounds));
    row.delta = cliffs_delta(after.of_ceiling_rounds, before.of_ceiling_rounds);
    row.ceiling_ratio = after.ceiling->ns / before.ceiling->ns;
  } else {
    row.ratio = row.low = row.high = after.p50_ns / before.p50_ns;
  }
  if (row.ratio > 1 + threshold && row.low > 1) row.change = Change::slower;
  if (row.ratio < 1 / (1 + threshold) && row.high < 1) row.change = Change::faster;
  return row;
}

void warn(Comparison& comparison, const std::vector<Record>& before, const std::vector<Record>& after) {
  size_t moved = 0;
  double farthest = 1;
  for (const RowComparison& row : comparison.rows) {
    if (std::max(row.ceiling_ratio, 1 / row.ceiling_ratio) <= 1 + ceiling_tolerance) continue;
    ++moved;
    if (std::abs(std::log(row.ceiling_ratio)) > std::abs(std::log(farthest))) farthest = row.ceiling_ratio;
  }
  if (moved > 0) {
    comparison.warnings.push_back(fmt::format(
        "the ceilings of {} of {} rows differ by more than {:.0f} % (farthest: {:.2f} times the time): the machine "
        "changed between the runs",
        moved, comparison.rows.size(), 100 * ceiling_tolerance, farthest));
  }
  for (const char* key : {"cpu", "max_isa", "hypervisor", "gather_mitigation"}) {
    const std::string a = before.front().environment_value(key);
    const std::string b = after.front().environment_value(key);
    if (a != b && !a.empty() && !b.empty()) comparison.warnings.push_back(fmt::format("{}: {} against {}", key, a, b));
  }
  for (const std::vector<Record>* records : {&before, &after}) {
    const auto wrong = std::count_if(records->begin(), records->end(),
                                     [](const Record& record) { return record.verified && !*record.verified; });
    if (wrong > 0)
      comparison.warnings.push_back(
          fmt::format("{} results of the {} run were wrong", wrong, records == &before ? "first" : "second"));
  }
}

}  // namespace

const char* change_word(Change change) {
  return change == Change::slower ? "SLOWER" : change == Change::faster ? "faster" : "no change";
}

bool Comparison::any_slower() const {
  return std::any_of(rows.begin(), rows.end(), [](const RowComparison& row) { return row.change == Change::slower; });
}

Comparison compare(const std::vector<Record>& before, const std::vector<Record>& after, double threshold) {
  Comparison comparison;
  // Rows that measure the same meet in the order in which they are written.
  std::map<std::string, std::vector<const Record*>> waiting;
  for (const Record& record : before) waiting[record.key()].push_back(&record);
  for (const Record& record : after) {
    std::vector<const Record*>& partners = waiting[record.key()];
    if (partners.empty()) {
      comparison.only_after.push_back(record.key());
      continue;
    }
    comparison.rows.push_back(compare_row(*partners.front(), record, threshold));
    partners.erase(partners.begin());
  }
  for (const auto& [key, left] : waiting) comparison.only_before.insert(comparison.only_before.end(), left.size(), key);
  warn(comparison, before, after);
  return comparison;
}

double parse_threshold(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit = end;
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  const double fraction = unit == "%" ? number / 100 : number;
  const bool known = end != text.c_str() && (unit.empty() || unit == "%");
  if (!known || !(fraction >= 0 && fraction <= 10))
    throw InputError(fmt::format("'{}' is no threshold; a percentage as in 10%, or a fraction as in 0.1", text));
  return fraction;
}

}  // namespace garner::perf
