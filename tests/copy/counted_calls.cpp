// SPDX-License-Identifier: Apache-2.0
#include "tests/copy/counted_calls.h"

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <ctime>
#include <new>

namespace {

std::atomic<int64_t> allocations{0}, mappings{0}, locks{0}, clocks{0};

void count(std::atomic<int64_t>& calls) { calls.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

// NAME(parameters) counts in `counter` and goes on to the real one.
#define GARNER_COUNT(counter, result, name, parameters, arguments) \
  result __real_##name parameters;                                 \
  result __wrap_##name parameters;                                 \
  result __wrap_##name parameters {                                \
    count(counter);                                                \
    return __real_##name arguments;                                \
  }

extern "C" {
GARNER_COUNT(allocations, void*, malloc, (size_t bytes), (bytes))
GARNER_COUNT(allocations, void*, calloc, (size_t n, size_t bytes), (n, bytes))
GARNER_COUNT(allocations, void*, realloc, (void* block, size_t bytes), (block, bytes))
GARNER_COUNT(allocations, void*, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))
GARNER_COUNT(allocations, int, posix_memalign, (void** block, size_t alignment, size_t bytes),
             (block, alignment, bytes))
GARNER_COUNT(allocations, void*, _Znwm, (size_t bytes), (bytes))
GARNER_COUNT(allocations, void*, _Znam, (size_t bytes), (bytes))
GARNER_COUNT(allocations, void*, _ZnwmSt11align_val_t, (size_t bytes, std::align_val_t alignment), (bytes, alignment))
GARNER_COUNT(allocations, void*, _ZnamSt11align_val_t, (size_t bytes, std::align_val_t alignment), (bytes, alignment))
GARNER_COUNT(mappings, void*, mmap, (void* at, size_t bytes, int access, int flags, int file, off_t offset),
             (at, bytes, access, flags, file, offset))
GARNER_COUNT(mappings, int, mprotect, (void* at, size_t bytes, int access), (at, bytes, access))
GARNER_COUNT(locks, int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
GARNER_COUNT(locks, int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
GARNER_COUNT(locks, int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
GARNER_COUNT(clocks, int, clock_gettime, (clockid_t clock, timespec* time), (clock, time))
}

namespace garner_test {

CountedCalls counted_calls() { return {allocations.load(), mappings.load(), locks.load(), clocks.load()}; }

}  // namespace garner_test
