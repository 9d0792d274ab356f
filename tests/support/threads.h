// SPDX-License-Identifier: Apache-2.0
// An executor of std::threads with a chosen concurrency, whatever the machine has.
#pragma once

#include <atomic>
#include <cstdint>

#include <garner/garner.h>

namespace garner_test {

class ThreadExecutor {
 public:
  explicit ThreadExecutor(int32_t concurrency) : concurrency_(concurrency) {}
  // Valid while this object lives.
  garner_executor descriptor();
  // How often parallel_for was called, and how many calls of fn it was asked for in all.
  int64_t calls() const { return calls_.load(); }
  int64_t tasks() const { return tasks_.load(); }

 private:
  static int32_t concurrency(void* ctx);
  static void parallel_for(void* ctx, int32_t n, void (*fn)(void* arg, int32_t i), void* arg);

  int32_t concurrency_;
  std::atomic<int64_t> calls_{0};
  std::atomic<int64_t> tasks_{0};
};

}  // namespace garner_test
