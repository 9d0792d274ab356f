// SPDX-License-Identifier: Apache-2.0
#include "perf/thread_team.h"

#include "perf/timing.h"

namespace garner::perf {
namespace {

void relax() { __builtin_ia32_pause(); }

}  // namespace

ThreadTeam::ThreadTeam(int threads, int64_t spin_ns) : spin_ns_(spin_ns) {
  for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ++generation_;
  }
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadTeam::work() {
  for (int32_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) fn_(arg_, i);
}

// Every helper answers every generation, so a job's fields never change under a helper that is late.
void ThreadTeam::help() {
  uint64_t seen = 0;
  while (true) {
    const int64_t start = now_ns();
    for (int spins = 0; generation_.load() == seen; ++spins) {
      relax();
      if (spins % 64 != 0 || now_ns() - start < spin_ns_) continue;
      std::unique_lock lock(mutex_);
      ++sleeping_;
      wake_.wait(lock, [&] { return generation_.load() != seen; });
      --sleeping_;
    }
    ++seen;
    if (stop_) return;
    work();
    busy_.fetch_sub(1);
  }
}

void ThreadTeam::run(int32_t n, void (*fn)(void*, int32_t), void* arg) {
  if (helpers_.empty() || n <= 1) {
    for (int32_t i = 0; i < n; ++i) fn(arg, i);
    return;
  }
  fn_ = fn;
  arg_ = arg;
  count_ = n;
  next_ = 0;
  busy_ = static_cast<int32_t>(helpers_.size());
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    ++generation_;
    wake = sleeping_ > 0;
  }
  if (wake) wake_.notify_all();
  work();
  for (int spins = 0; busy_.load() != 0; ++spins) {
    if (spins < 10000 && spin_ns_ > 0) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
}

garner_executor ThreadTeam::executor() {
  garner_executor executor = GARNER_EXECUTOR_INIT;
  executor.ctx = this;
  executor.concurrency = [](void* ctx) { return static_cast<int32_t>(static_cast<ThreadTeam*>(ctx)->threads()); };
  executor.parallel_for = [](void* ctx, int32_t n, void (*fn)(void*, int32_t), void* arg) {
    static_cast<ThreadTeam*>(ctx)->run(n, fn, arg);
  };
  return executor;
}

}  // namespace garner::perf
