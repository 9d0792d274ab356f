// SPDX-License-Identifier: Apache-2.0
#include "perf/timing.h"

#include <algorithm>
#include <cmath>

namespace garner::perf {
namespace {

// Linear interpolation between the neighbours of a sorted sample.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double timer_cost_ns() {
  static const double cost = [] {
    std::vector<double> batches;
    for (int i = 0; i < 21; ++i) {
      constexpr int pairs = 200;
      const int64_t start = now_ns();
      for (int j = 0; j < pairs; ++j) now_ns();
      batches.push_back(static_cast<double>(now_ns() - start) / pairs);
    }
    return median(batches);
  }();
  return cost;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

Summary summarize(std::vector<double> samples) {
  Summary summary;
  if (samples.empty()) return summary;
  std::sort(samples.begin(), samples.end());
  summary.min = samples.front();
  summary.p50 = quantile(samples, 0.5);
  summary.p90 = quantile(samples, 0.9);
  summary.p99 = quantile(samples, 0.99);
  for (double& sample : samples) sample = std::abs(sample - summary.p50);
  summary.mad = median(std::move(samples));
  return summary;
}

Interval median_interval(std::vector<double> values) {
  Interval interval;
  interval.rounds = static_cast<int>(values.size());
  if (values.empty()) return interval;
  std::sort(values.begin(), values.end());
  interval.median = quantile(values, 0.5);
  // The largest d for which P(Binomial(n, 1/2) < d) stays within 2.5 % leaves d - 1 values out on each side.
  const size_t n = values.size();
  double term = std::exp2(-static_cast<double>(n));
  double below = 0;
  size_t leave_out = 0;
  for (size_t d = 0; 2 * d + 2 < n; ++d) {
    below += term;
    if (below > 0.025) break;
    leave_out = d;
    term *= static_cast<double>(n - d) / static_cast<double>(d + 1);
  }
  interval.low = values[leave_out];
  interval.high = values[n - 1 - leave_out];
  return interval;
}

}  // namespace garner::perf
