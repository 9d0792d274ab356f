// SPDX-License-Identifier: Apache-2.0
// The clock, and what reading it costs.
#pragma once

#include <time.h>

#include <cstdint>

namespace garner::perf {

inline int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// What one pair of clock readings costs; measured once.
double timer_cost_ns();

}  // namespace garner::perf
