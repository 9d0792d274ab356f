// SPDX-License-Identifier: Apache-2.0
// Clock, samples and what is said about them.
#pragma once

#include <time.h>

#include <cstdint>
#include <vector>

namespace garner::perf {

inline int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// What one pair of clock readings costs; measured once.
double timer_cost_ns();

struct Summary {
  double min = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double mad = 0;  // median of the distances from the median
};
Summary summarize(std::vector<double> samples);
double median(std::vector<double> values);

// The median of a few values with the interval that holds the true median with 95 % probability or more, from the order
// statistics alone; with fewer than six values that is their whole range.
struct Interval {
  double median = 0;
  double low = 0;
  double high = 0;
  int rounds = 0;
};
Interval median_interval(std::vector<double> values);

}  // namespace garner::perf
