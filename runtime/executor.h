// SPDX-License-Identifier: Apache-2.0
// The threads that run shards: the host's, oneTBB's, or none.
#pragma once

#include <cstdint>

namespace garner {

// See garner_executor in the public header for the contract.
struct Executor {
  void* ctx;
  int32_t (*concurrency)(void* ctx);
  void (*parallel_for)(void* ctx, int32_t n, void (*fn)(void* arg, int32_t i), void* arg);
};

// oneTBB in the caller's arena; concurrency bounded by the arena, the affinity mask and the cgroup quota. A null
// parallel_for when oneTBB is not compiled in. The only function of the library that touches TBB is behind it.
// An exception in oneTBB, such as one for want of memory, looks like a parallel_for that ran fewer calls.
Executor tbb_executor();

}  // namespace garner
