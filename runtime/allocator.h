// SPDX-License-Identifier: Apache-2.0
// The host's allocator, or malloc.
#pragma once

#include <cstddef>

namespace garner {

struct Allocator {
  void* ctx;
  void* (*allocate)(void* ctx, size_t bytes, size_t alignment);  // NULL when there is no memory
  void (*release)(void* ctx, void* pointer, size_t bytes, size_t alignment);
};

Allocator malloc_allocator();

}  // namespace garner
