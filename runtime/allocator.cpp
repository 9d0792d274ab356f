// SPDX-License-Identifier: Apache-2.0
#include "runtime/allocator.h"

#include <cstdlib>

#include "runtime/keep_errno.h"

namespace garner {
namespace {

void* allocate(void*, size_t bytes, size_t alignment) {
  // aligned_alloc asks for a multiple of the alignment; a size that close to the limit cannot be had anyway.
  const size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  const KeepErrno keep;
  return rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
}

void release(void*, void* pointer, size_t, size_t) { std::free(pointer); }

}  // namespace

Allocator malloc_allocator() { return {nullptr, allocate, release}; }

}  // namespace garner
