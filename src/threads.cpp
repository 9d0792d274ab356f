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

bool threads_may_pay(const garner_plan& plan) {
  const Settings& settings = plan.context->settings;
  return (settings.disable & GARNER_DISABLE_THREADS) == 0 && settings.threads != 1 &&
         plan_sharding(plan.execution, 2).shards() > 1;
}

ThreadPlan plan_threads(const garner_plan& plan, int32_t max_threads, const Executor* given) {
  ThreadPlan result{{1, 1, 1}, {}};
  // Small work ends here, without a look at any executor.
  if (!plan.threads_may_pay || max_threads == 1) return result;
  const Settings& settings = plan.context->settings;
  int32_t limit = INT32_MAX;
  if (max_threads > 0) limit = max_threads;
  if (settings.threads > 0) limit = std::min(limit, settings.threads);

  const Executor executor = choose_executor(*plan.context, given);
  if (executor.parallel_for == nullptr) return result;
  limit = std::min(limit, executor.concurrency(executor.ctx));
  const Sharding sharding = plan_sharding(plan.execution, limit);
  if (sharding.shards() == 1) return result;
  return {sharding, executor};
}

}  // namespace garner
