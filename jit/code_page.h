// SPDX-License-Identifier: Apache-2.0
// Executable memory: one mapping per kernel, written once, then readable and executable, never both writable and executable.
#pragma once

#include <cstddef>

namespace garner::jit {

enum class MapStatus : unsigned char { ok, out_of_memory, refused };

struct CodePage {
  MapStatus status;
  void* address;  // null unless ok
  size_t bytes;   // of the mapping, whole pages
};

// Copies `bytes` of position-independent code into a mapping of its own.
CodePage map_code(const void* code, size_t bytes);
void unmap_code(void* address, size_t bytes);

}  // namespace garner::jit
