// SPDX-License-Identifier: Apache-2.0
// Runs a planned problem on real buffers: cuts it into shards, hands them to threads, agrees on the lowest failure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/executor.h"
#include "runtime/gather_problem.h"
#include "runtime/kernel.h"

namespace garner {

// What a plan decided, independent of buffers and threads.
struct ExecutionPlan {
  GatherProblem problem;
  KernelFunction kernel;  // never null
  int64_t min_shard_bytes;
  // Estimated bytes that one tuple moves through the caches: index, slice as whole cache lines read, slice written.
  int64_t tuple_cost_bytes;
  // The kernel's arguments, all but buffers, shard and place: the planner sets those that only the copy path reads, the rest
  // is prepare_execution's. Where is_direct, they are those of the one call that does the whole problem.
  KernelArgs args;
  bool is_direct;
};

// Last step of planning. The plan must not move afterwards: `args` points into it.
void prepare_execution(ExecutionPlan& plan);

struct Buffers {
  const std::byte* data;
  const std::byte* indices;
  std::byte* output;
  CopyElement copy_element;
  void* copy_ctx;
};

// How the work is cut: `tuple_parts` ranges of tuples times `slice_parts` parts of every slice.
struct Sharding {
  int64_t tuple_parts;
  int64_t slice_parts;
  int32_t threads = 0;  // how many may work at once, at most shards(); 0: as many as there are shards
  int64_t shards() const { return tuple_parts * slice_parts; }
};

// A hand-off to another thread costs 1.3 to 3 us; so much work, in bytes as tuple_cost_bytes counts them, takes several
// times that.
inline constexpr int64_t default_min_shard_bytes = 192 * 1024;

// threads <= 1, or work below two minimal shards: one shard. min_shard_bytes 0: as many shards as threads, however
// small. Pure and cheap. With threads = 2 it tells whether more than one thread can pay at all, so that an executor
// need only then be asked for its concurrency.
Sharding plan_sharding(const ExecutionPlan& plan, int32_t threads);

// How far a failed execution got: the lowest failing position (over all tuples) with its detail.
struct ExecutionFailure {
  bool failed;
  KernelFailure detail;  // detail.position counts from the first tuple of the problem
};

// For plans with is_direct: one kernel call on the calling thread, without a look at shards. False: it met a bad tuple, and
// execute() has to find the lowest one.
bool execute_direct(const ExecutionPlan& plan, const std::byte* data, const std::byte* indices, std::byte* output);

// Runs all shards, on the calling thread when there is one, otherwise through the executor. Allocates nothing.
ExecutionFailure execute(const ExecutionPlan& plan, const Buffers& buffers, const Sharding& sharding,
                         const Executor& executor);

}  // namespace garner
