// SPDX-License-Identifier: Apache-2.0
// The code cache of a context: emitted kernels by key, shared by plans, bounded in bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <shared_mutex>

#include "jit/kernel_key.h"
#include "runtime/allocator.h"
#include "runtime/kernel.h"

namespace garner::jit {

// One emitted kernel in a mapping of its own that was never writable and executable at once.
struct Kernel;

void retain(Kernel* kernel);
void release(Kernel* kernel);  // NULL allowed; the last reference unmaps the code
KernelFunction entry(const Kernel* kernel);
int64_t code_bytes(const Kernel* kernel);

enum class EmitStatus : uint8_t {
  ok,
  out_of_memory,
  refused,   // the system does not give executable memory: a normal state
  internal,  // the generator made a mistake
};

// Where emitted code is written or announced; each may be NULL. Folder names.
struct Observers {
  const char* dump_folder;      // GARNER_JIT_DUMP: one NAME.bin per kernel
  const char* perf_map_folder;  // GARNER_PERF_MAP: perf-PID.map
};

class KernelCache {
 public:
  KernelCache(const Allocator& allocator, int64_t cap_bytes, const Observers& observers);
  ~KernelCache();
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  // Finds or emits; *kernel comes with a reference for the caller. A shared lock on a hit; emits outside any lock, and a
  // loser of a race discards its copy.
  EmitStatus get(const KernelKey& key, Kernel** kernel);
  // Drops least recently used kernels until at most `bytes` of code remain in the cache.
  void trim(int64_t bytes);
  int64_t bytes() const;
  int32_t count() const;

 private:
  struct Entry;
  Entry* find(const KernelKey& key, uint64_t hash) const;
  void trim_locked(int64_t bytes);

  static constexpr int bucket_count = 256;
  Allocator allocator_;
  int64_t cap_bytes_;
  Observers observers_;
  mutable std::shared_mutex mutex_;
  std::atomic<uint64_t> clock_{0};
  int64_t bytes_ = 0;
  int32_t count_ = 0;
  Entry* buckets_[bucket_count] = {};
};

// True when the system lets this process make memory executable; tries it once with one page.
bool executable_memory_available();

}  // namespace garner::jit
