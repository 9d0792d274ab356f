// SPDX-License-Identifier: Apache-2.0
// How many threads and shards an execution uses, and whose threads they are.
#pragma once

#include <cstdint>

#include "runtime/execute.h"
#include "runtime/executor.h"
#include "src/plan.h"

namespace garner {

struct ThreadPlan {
  Sharding sharding;  // one shard: the calling thread alone, and `executor` is not set
  Executor executor;
};

// Whether more than one thread is allowed and may be worth it; part of planning.
bool threads_may_pay(const garner_plan& plan);

// given: the call's own executor, or NULL. max_threads <= 0: no limit of the call's own. An executor is asked for its
// concurrency only when the work is large enough for two shards.
ThreadPlan plan_threads(const garner_plan& plan, int32_t max_threads, const Executor* given);

}  // namespace garner
