// SPDX-License-Identifier: Apache-2.0
// The only unit that sees oneTBB, and one of two that are compiled with exceptions. None of them leaves it.
#include "runtime/executor.h"

#if GARNER_HAVE_TBB

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "runtime/cpu_quota.h"
#include "runtime/keep_errno.h"

namespace garner {
namespace {

int32_t concurrency(void*) {
  const int32_t allowed = std::min(affinity_cpus(), quota_cpus());
  if (allowed <= 1) return 1;
  const KeepErrno keep;  // oneTBB asks the system and starts threads
  try {
    return std::clamp(static_cast<int32_t>(tbb::this_task_arena::max_concurrency()), 1, allowed);
  } catch (...) {
    return 1;
  }
}

void parallel_for(void*, int32_t n, void (*fn)(void* arg, int32_t i), void* arg) {
  const KeepErrno keep;
  try {
    // Isolated: a thread that waits here must not pick up other work of the host's, which may need what the host holds.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<int32_t>(0, n, 1),
          [fn, arg](const tbb::blocked_range<int32_t>& range) {
            for (int32_t i = range.begin(); i != range.end(); ++i) fn(arg, i);
          },
          tbb::simple_partitioner{});
    });
  } catch (...) {
    // Whatever did not run is left to the caller, who knows what that was.
  }
}

}  // namespace

Executor tbb_executor() { return {nullptr, concurrency, parallel_for}; }

}  // namespace garner

#else

namespace garner {

Executor tbb_executor() { return {nullptr, nullptr, nullptr}; }

}  // namespace garner

#endif
