// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/failing_calls.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace garner_test {
namespace {

struct State {
  bool watching = false;
  Call call = Call::allocation;
  int64_t failing = -1;
  int error = 0;
  Watched watched;
};
thread_local State state;

// Whether this call is the one that fails.
bool fails(Call call) {
  if (!state.watching || call != state.call) return false;
  const bool chosen = state.watched.calls++ == state.failing;
  state.watched.failed = state.watched.failed || chosen;
  return chosen;
}

// As the C library fails: with errno.
void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}

void count_block(int64_t change) {
  if (state.watching) state.watched.held_blocks += change;
}
void count_mapped(int64_t change) {
  if (state.watching) state.watched.held_mapped_bytes += change;
}

}  // namespace

const char* name(Call call) {
  switch (call) {
    case Call::allocation: return "malloc";
    case Call::operator_new: return "operator new";
    case Call::map: return "mmap";
    case Call::protect: return "mprotect";
  }
  return "";
}

Watch::Watch(Call call, int64_t failing, int error) {
  state.call = call;
  state.failing = failing;
  state.error = error;
  state.watching = true;
}
Watch::~Watch() { state.watching = false; }

void reset_watched() { state.watched = {}; }
const Watched& watched() { return state.watched; }

}  // namespace garner_test

using garner_test::Call;
using garner_test::count_block;
using garner_test::count_mapped;
using garner_test::fails;
using garner_test::out_of_memory;

// The linker sends calls of NAME in the library and in the tests to __wrap_NAME.
extern "C" {
void* __real_malloc(size_t bytes);
void* __real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void* pointer);
void* __real_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void* address, size_t bytes);
int __real_mprotect(void* address, size_t bytes, int protection);

void* __wrap_malloc(size_t bytes) {
  if (fails(Call::allocation)) return out_of_memory();
  void* const pointer = __real_malloc(bytes);
  if (pointer != nullptr) count_block(1);
  return pointer;
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  if (fails(Call::allocation)) return out_of_memory();
  void* const pointer = __real_aligned_alloc(alignment, bytes);
  if (pointer != nullptr) count_block(1);
  return pointer;
}
void __wrap_free(void* pointer) {
  if (pointer != nullptr) count_block(-1);
  __real_free(pointer);
}
void* __wrap_mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (fails(Call::map)) {
    errno = garner_test::state.error;
    return MAP_FAILED;
  }
  void* const mapping = __real_mmap(address, bytes, protection, flags, file, offset);
  if (mapping != MAP_FAILED) count_mapped(static_cast<int64_t>(bytes));
  return mapping;
}
int __wrap_munmap(void* address, size_t bytes) {
  count_mapped(-static_cast<int64_t>(bytes));
  return __real_munmap(address, bytes);
}
int __wrap_mprotect(void* address, size_t bytes, int protection) {
  if (fails(Call::protect)) {
    errno = garner_test::state.error;
    return -1;
  }
  return __real_mprotect(address, bytes, protection);
}
}  // extern "C"

// Xbyak allocates through these.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  if (fails(Call::operator_new)) return out_of_memory();
  void* const pointer = __real_malloc(bytes == 0 ? 1 : bytes);
  if (pointer != nullptr) count_block(1);
  return pointer;
}
void* operator new(size_t bytes) {
  void* const pointer = operator new(bytes, std::nothrow);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
void operator delete(void* pointer) noexcept {
  if (pointer != nullptr) count_block(-1);
  __real_free(pointer);
}
void operator delete(void* pointer, size_t) noexcept { operator delete(pointer); }
