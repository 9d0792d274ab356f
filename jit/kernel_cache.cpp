// SPDX-License-Identifier: Apache-2.0
#include "jit/kernel_cache.h"

#include <cstring>
#include <mutex>
#include <new>

#include "jit/code_page.h"
#include "jit/emitter.h"
#include "jit/observers.h"

namespace garner::jit {

struct Kernel {
  std::atomic<int32_t> references;
  Allocator allocator;
  void* code;
  size_t mapped_bytes;
};

struct KernelCache::Entry {
  Entry* next;
  uint64_t hash;
  KernelKey key;
  Kernel* kernel;
  mutable std::atomic<uint64_t> last_use;
};

void retain(Kernel* kernel) { kernel->references.fetch_add(1, std::memory_order_relaxed); }

void release(Kernel* kernel) {
  if (kernel == nullptr || kernel->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  unmap_code(kernel->code, kernel->mapped_bytes);
  const Allocator allocator = kernel->allocator;
  allocator.release(allocator.ctx, kernel, sizeof(Kernel), alignof(Kernel));
}

KernelFunction entry(const Kernel* kernel) { return reinterpret_cast<KernelFunction>(kernel->code); }

int64_t code_bytes(const Kernel* kernel) { return static_cast<int64_t>(kernel->mapped_bytes); }

namespace {

uint64_t hash_key(const KernelKey& key) {
  uint64_t halves[2];
  std::memcpy(halves, &key, sizeof(key));
  uint64_t hash = halves[0] * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 29) ^ halves[1]) * 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 32);
}

// A kernel with one reference, or null with the reason.
Kernel* emit_and_map(const Allocator& allocator, const KernelKey& key, const Observers& observers, EmitStatus* status) {
  void* buffer = allocator.allocate(allocator.ctx, emit_buffer_bytes, 64);
  if (buffer == nullptr) {
    *status = EmitStatus::out_of_memory;
    return nullptr;
  }
  Kernel* kernel = nullptr;
  const Emission emission = emit_kernel(key, buffer, emit_buffer_bytes);
  *status = emission.status;
  if (emission.status == EmitStatus::ok) {
    const CodePage page = map_code(buffer, emission.bytes);
    if (page.status == MapStatus::ok) {
      void* memory = allocator.allocate(allocator.ctx, sizeof(Kernel), alignof(Kernel));
      if (memory == nullptr) {
        unmap_code(page.address, page.bytes);
        *status = EmitStatus::out_of_memory;
      } else {
        kernel = new (memory) Kernel{1, allocator, page.address, page.bytes};
        announce(observers, key, page.address, emission.bytes);
      }
    } else {
      *status = page.status == MapStatus::refused ? EmitStatus::refused : EmitStatus::out_of_memory;
    }
  }
  allocator.release(allocator.ctx, buffer, emit_buffer_bytes, 64);
  return kernel;
}

}  // namespace

KernelCache::KernelCache(const Allocator& allocator, int64_t cap_bytes, const Observers& observers)
    : allocator_(allocator), cap_bytes_(cap_bytes), observers_(observers) {}

KernelCache::~KernelCache() { trim_locked(0); }

KernelCache::Entry* KernelCache::find(const KernelKey& key, uint64_t hash) const {
  for (Entry* entry = buckets_[hash % bucket_count]; entry != nullptr; entry = entry->next) {
    if (entry->hash == hash && std::memcmp(&entry->key, &key, sizeof(key)) == 0) return entry;
  }
  return nullptr;
}

EmitStatus KernelCache::get(const KernelKey& key, Kernel** kernel) {
  const uint64_t hash = hash_key(key);
  {
    const std::shared_lock lock(mutex_);
    if (const Entry* found = find(key, hash)) {
      // A coarse clock is enough to order evictions, and a plain load keeps hits from writing to a shared line each time.
      found->last_use.store(clock_.load(std::memory_order_relaxed), std::memory_order_relaxed);
      retain(found->kernel);
      *kernel = found->kernel;
      return EmitStatus::ok;
    }
  }
  EmitStatus status = EmitStatus::ok;
  Kernel* made = emit_and_map(allocator_, key, observers_, &status);
  if (made == nullptr) return status;
  void* memory = allocator_.allocate(allocator_.ctx, sizeof(Entry), alignof(Entry));
  if (memory == nullptr) {
    release(made);
    return EmitStatus::out_of_memory;
  }
  const std::unique_lock lock(mutex_);
  if (const Entry* winner = find(key, hash)) {
    allocator_.release(allocator_.ctx, memory, sizeof(Entry), alignof(Entry));
    release(made);
    retain(winner->kernel);
    *kernel = winner->kernel;
    return EmitStatus::ok;
  }
  const uint64_t now = clock_.fetch_add(1, std::memory_order_relaxed) + 1;
  // Room is made before the newcomer enters, so that it is not itself the first to go.
  trim_locked(cap_bytes_ - code_bytes(made));
  Entry*& bucket = buckets_[hash % bucket_count];
  bucket = new (memory) Entry{bucket, hash, key, made, now};
  bytes_ += code_bytes(made);
  ++count_;
  retain(made);
  *kernel = made;
  return EmitStatus::ok;
}

void KernelCache::trim(int64_t bytes) {
  const std::unique_lock lock(mutex_);
  trim_locked(bytes);
}

void KernelCache::trim_locked(int64_t bytes) {
  while (bytes_ > bytes && count_ > 0) {
    Entry** oldest = nullptr;
    for (Entry*& bucket : buckets_) {
      for (Entry** link = &bucket; *link != nullptr; link = &(*link)->next) {
        if (oldest == nullptr ||
            (*link)->last_use.load(std::memory_order_relaxed) < (*oldest)->last_use.load(std::memory_order_relaxed)) {
          oldest = link;
        }
      }
    }
    Entry* evicted = *oldest;
    *oldest = evicted->next;
    bytes_ -= code_bytes(evicted->kernel);
    --count_;
    release(evicted->kernel);
    evicted->~Entry();
    allocator_.release(allocator_.ctx, evicted, sizeof(Entry), alignof(Entry));
  }
}

int64_t KernelCache::bytes() const {
  const std::shared_lock lock(mutex_);
  return bytes_;
}

int32_t KernelCache::count() const {
  const std::shared_lock lock(mutex_);
  return count_;
}

}  // namespace garner::jit
