// SPDX-License-Identifier: Apache-2.0
// From a key to machine code in a buffer; the border behind which Xbyak and its exceptions stay.
#pragma once

#include <cstddef>

#include "jit/kernel_cache.h"
#include "jit/kernel_key.h"

namespace garner::jit {

// Enough for the largest kernel: 16 coordinates, unrolled.
inline constexpr size_t emit_buffer_bytes = 64 * 1024;

struct Emission {
  EmitStatus status;
  size_t bytes;
};

// Position-independent code. Allocates through the standard library while it runs; bad_alloc becomes out_of_memory.
Emission emit_kernel(const KernelKey& key, void* buffer, size_t capacity) noexcept;

}  // namespace garner::jit
