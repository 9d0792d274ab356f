// SPDX-License-Identifier: Apache-2.0
// The cost model: how many shards a problem is worth, and along what it is cut.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/execute.h"
#include "runtime/mover.h"

namespace garner {
namespace {

// Parts into which a slice can be cut: ranges of its runs, or of the bytes (elements of the host's) of its only run.
int64_t most_slice_parts(const GatherProblem& problem) {
  if (problem.run_count != 1) return problem.run_count;
  if (problem.element_kind == ElementKind::host_object) return problem.run_bytes / problem.element_bytes;
  return problem.run_bytes / min_part_bytes;
}

// How many shards the work is worth to so many threads.
int64_t worthwhile_shards(const ExecutionPlan& plan, int64_t threads) {
  if (plan.min_shard_bytes <= 0) return threads;
  // Four shards a thread even out what the threads do not get done alike, as long as each is worth several hand-offs.
  constexpr int64_t shards_per_thread = 4;
  constexpr int64_t hand_offs = 4;
  constexpr int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t work;
  if (__builtin_mul_overflow(plan.problem.tuple_count, std::max<int64_t>(plan.tuple_cost_bytes, 1), &work))
    work = limit;
  const int64_t minimal_shards = work / plan.min_shard_bytes;
  if (minimal_shards <= threads) return minimal_shards;
  return std::clamp(minimal_shards / hand_offs, threads, shards_per_thread * threads);
}

}  // namespace

Sharding plan_sharding(const ExecutionPlan& plan, int32_t threads) {
  const GatherProblem& problem = plan.problem;
  if (threads <= 1 || problem.tuple_count <= 0) return {1, 1, 1};
  const int64_t wanted = worthwhile_shards(plan, threads);
  if (wanted <= 1) return {1, 1, 1};
  const int64_t tuple_parts = std::min(wanted, problem.tuple_count);
  const int64_t slice_parts =
      std::clamp<int64_t>((wanted + tuple_parts - 1) / tuple_parts, 1, std::max<int64_t>(most_slice_parts(problem), 1));
  return {tuple_parts, slice_parts, static_cast<int32_t>(std::min<int64_t>(threads, tuple_parts * slice_parts))};
}

}  // namespace garner
