// SPDX-License-Identifier: Apache-2.0
#include "perf/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace garner::perf {
namespace {

constexpr double samples_beyond = 5;  // that a percentile needs

// Linear interpolation between the neighbours of a sorted sample.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::optional<double> carried_quantile(const std::vector<double>& sorted, double q) {
  // A hair less than five, because (1 - 0.9) * 50 is.
  if ((1 - q) * static_cast<double>(sorted.size()) < samples_beyond - 1e-6) return std::nullopt;
  return quantile(sorted, q);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

Summary summarize(std::vector<double> samples, bool of_single_calls) {
  Summary summary;
  if (samples.empty()) return summary;
  std::sort(samples.begin(), samples.end());
  summary.min = samples.front();
  summary.p50 = quantile(samples, 0.5);
  if (of_single_calls) {
    summary.p90 = carried_quantile(samples, 0.9);
    summary.p99 = carried_quantile(samples, 0.99);
  }
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

double cliffs_delta(std::vector<double> a, std::vector<double> b) {
  if (a.empty() || b.empty()) return 0;
  std::sort(a.begin(), a.end());
  double more = 0;
  for (const double value : b) {
    const auto [below, above] = std::equal_range(a.begin(), a.end(), value);
    more += static_cast<double>(below - a.begin()) - static_cast<double>(a.end() - above);
  }
  return more / static_cast<double>(a.size()) / static_cast<double>(b.size());
}

const char* effect_word(double delta) {
  const double size = std::abs(delta);
  return size < 0.147 ? "negligible" : size < 0.33 ? "small" : size < 0.474 ? "medium" : "large";
}

}  // namespace garner::perf
