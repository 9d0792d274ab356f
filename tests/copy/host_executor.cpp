// SPDX-License-Identifier: Apache-2.0
#include "tests/copy/host_executor.h"

#include <algorithm>
#include <latch>
#include <numeric>
#include <thread>

namespace garner_test {

const char* name(HostMode mode) {
  static constexpr const char* names[] = {"serial", "shuffled", "concurrent", "early", "concurrent and early"};
  return names[static_cast<int>(mode)];
}

garner_executor HostExecutor::descriptor() {
  garner_executor executor = GARNER_EXECUTOR_INIT;
  executor.ctx = this;
  executor.concurrency = [](void*) { return concurrency; };
  executor.parallel_for = [](void* ctx, int32_t n, void (*fn)(void* arg, int32_t i), void* arg) {
    static_cast<HostExecutor*>(ctx)->run(n, fn, arg);
  };
  return executor;
}

void HostExecutor::become(HostMode mode) {
  mode_ = mode;
  calls_ = asked_ = ran_ = 0;
}

void HostExecutor::run(int32_t n, void (*fn)(void* arg, int32_t i), void* arg) {
  ++calls_;
  asked_ = n;
  std::vector<int32_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (mode_ != HostMode::serial) {
    for (int32_t i = n; i-- > 1;)
      std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(random_.between(0, i))]);
  }
  if (mode_ == HostMode::early || mode_ == HostMode::concurrent_early)
    order.resize(static_cast<size_t>(random_.between(0, n - 1)));
  ran_ = static_cast<int32_t>(order.size());
  if (!is_concurrent(mode_)) {
    for (const int32_t i : order) fn(arg, i);
    return;
  }
  std::latch all_there(ran_);
  std::vector<std::thread> threads;
  for (const int32_t i : order) {
    threads.emplace_back([&all_there, fn, arg, i] {
      all_there.arrive_and_wait();
      fn(arg, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace garner_test
