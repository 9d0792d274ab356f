// SPDX-License-Identifier: Apache-2.0
// What samples say, and how surely.
#pragma once

#include <optional>
#include <vector>

namespace garner::perf {

double median(std::vector<double> values);  // 0 of nothing

struct Summary {
  double min = 0;
  double p50 = 0;
  double mad = 0;  // median of the distances from the median
  // Nothing when the samples cannot carry them: fewer than five samples lie beyond, or a sample is the mean of many calls,
  // which says nothing of the slowest among them.
  std::optional<double> p90;
  std::optional<double> p99;
};
Summary summarize(std::vector<double> samples, bool of_single_calls);

// The median of a few values with the interval that holds the true median with 95 % probability or more, from the order
// statistics alone; with fewer than six values that is their whole range.
struct Interval {
  double median = 0;
  double low = 0;
  double high = 0;
  int rounds = 0;

  // True when the true median lies within this fraction of the one found, with that probability.
  bool within(double fraction) const {
    return median > 0 && high - median <= fraction * median && median - low <= fraction * median;
  }
};
Interval median_interval(std::vector<double> values);

// Cliff's delta: how much more often a value of `b` exceeds one of `a` than the reverse; from -1 to 1, 0 when the two cannot be
// told apart.
double cliffs_delta(std::vector<double> a, std::vector<double> b);
const char* effect_word(double delta);  // "negligible", "small", "medium", "large"

}  // namespace garner::perf
