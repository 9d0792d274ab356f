// SPDX-License-Identifier: Apache-2.0
#include "perf/timing.h"

#include <vector>

#include "perf/statistics.h"

namespace garner::perf {

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

}  // namespace garner::perf
