// SPDX-License-Identifier: Apache-2.0
// Two runs of bench beside each other, each in units of its own ceilings, so that a machine that got faster or slower as a whole
// does not count as a change of garner.
#pragma once

#include <string>
#include <vector>

#include "perf/record.h"

namespace garner::perf {

enum class Change { none, slower, faster };
const char* change_word(Change change);  // "no change", "SLOWER", "faster"

struct RowComparison {
  const Record* before = nullptr;
  const Record* after = nullptr;
  bool normalised = false;  // false: one of them has no ceiling, so the times themselves are compared
  double ratio = 1;         // time after over time before
  double low = 1;           // its 95 % interval; equal to the ratio when the files carry none
  double high = 1;
  double delta = 0;          // Cliff's delta over the rounds
  double ceiling_ratio = 1;  // ceiling after over ceiling before
  Change change = Change::none;
};

struct Comparison {
  std::vector<RowComparison> rows;
  std::vector<std::string> only_before;  // keys
  std::vector<std::string> only_after;
  std::vector<std::string> warnings;  // why the two may not be comparable

  bool any_slower() const;
};

// The records must outlive the result. A row has changed when its ratio is beyond the threshold (0.1 is 10 %) and its interval
// leaves out 1.
Comparison compare(const std::vector<Record>& before, const std::vector<Record>& after, double threshold);

// What says that the two runs were not made on the same machine in the same state: ceilings more than 10 % apart, another CPU.
inline constexpr double ceiling_tolerance = 0.10;

// "10%", "2.5 %" or "0.1" as a fraction; InputError when it is none between 0 and 10.
double parse_threshold(const std::string& text);

}  // namespace garner::perf
