// SPDX-License-Identifier: Apache-2.0
// Threads of the tool's own, as a host would bring them.
#pragma once

#include <garner/garner.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace garner::perf {

class ThreadTeam {
 public:
  // `threads` counts the caller. Idle helpers spin for `spin_ns` before they sleep: long for measuring, 0 for
  // checking with more threads than cores.
  ThreadTeam(int threads, int64_t spin_ns);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls fn(arg, i) for every i in [0, n), on the helpers and the caller; returns when all have ended. One caller at
  // a time.
  void run(int32_t n, void (*fn)(void* arg, int32_t i), void* arg);
  int threads() const { return static_cast<int>(helpers_.size()) + 1; }
  // Valid while the team lives.
  garner_executor executor();

 private:
  void help();
  void work();

  const int64_t spin_ns_;
  void (*fn_)(void*, int32_t) = nullptr;
  void* arg_ = nullptr;
  int32_t count_ = 0;
  std::atomic<int32_t> next_{0};
  std::atomic<int32_t> busy_{0};
  std::atomic<uint64_t> generation_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  int sleeping_ = 0;  // under mutex_
  std::vector<std::thread> helpers_;
};

}  // namespace garner::perf
