// SPDX-License-Identifier: Apache-2.0
#include "tests/support/threads.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace garner_test {

garner_executor ThreadExecutor::descriptor() {
  garner_executor executor = GARNER_EXECUTOR_INIT;
  executor.ctx = this;
  executor.concurrency = &ThreadExecutor::concurrency;
  executor.parallel_for = &ThreadExecutor::parallel_for;
  return executor;
}

int32_t ThreadExecutor::concurrency(void* ctx) { return static_cast<ThreadExecutor*>(ctx)->concurrency_; }

void ThreadExecutor::parallel_for(void* ctx, int32_t n, void (*fn)(void* arg, int32_t i), void* arg) {
  auto* self = static_cast<ThreadExecutor*>(ctx);
  self->calls_.fetch_add(1);
  self->tasks_.fetch_add(n);
  std::atomic<int32_t> next{0};
  const auto work = [&] {
    for (int32_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) fn(arg, i);
  };
  std::vector<std::thread> threads;
  for (int32_t t = 1; t < std::min(n, self->concurrency_); ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace garner_test
