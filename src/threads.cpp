// SPDX-License-Identifier: Apache-2.0
#include "src/threads.h"

#include <algorithm>

namespace garner {
namespace {

Executor choose_executor(const garner_context& context, const Executor* given) {
  if (given != nullptr) return *given;
  return context.executor.parallel_for != nullptr ? context.executor : tbb_executor();
}

}  // namespace

ThreadPlan plan_threads(const garner_plan& plan, int32_t max_threads, const Executor* given) {
  ThreadPlan result{{1, 1, 1}, {}};
  const Settings& settings = plan.context->settings;
  if (plan.execution.problem.tuple_count == 0 || (settings.disable & GARNER_DISABLE_THREADS) != 0) return result;
  int32_t limit = INT32_MAX;
  if (max_threads > 0) limit = max_threads;
  if (settings.threads > 0) limit = std::min(limit, settings.threads);
  // With two threads at hand: small work ends here, without a look at any executor.
  if (limit == 1 || plan_sharding(plan.execution, 2).shards() == 1) return result;

  const Executor executor = choose_executor(*plan.context, given);
  if (executor.parallel_for == nullptr) return result;
  limit = std::min(limit, executor.concurrency(executor.ctx));
  const Sharding sharding = plan_sharding(plan.execution, limit);
  if (sharding.shards() == 1) return result;
  return {sharding, executor};
}

}  // namespace garner
