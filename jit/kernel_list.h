// SPDX-License-Identifier: Apache-2.0
// The list of kernels (body x width x ISA) from which tests, benchmarks, `garner-perf info` and the documentation are fed.
// Index type, number of coordinates, policy and lane form are parameters of a kernel; key_is_valid says which go together.
#pragma once

#include <span>

#include "jit/kernel_key.h"

namespace garner::jit {

struct ListedKernel {
  Body body;
  Isa isa;
  uint8_t element_bytes;
};

std::span<const ListedKernel> kernel_list();

// Whether a generator exists for exactly this key; emit_kernel answers `internal` for any other.
bool key_is_valid(const KernelKey& key);

// Positions that a kernel handles at a time, for tests that want each tail length.
int block_positions(const KernelKey& key);

// Table body: elements that one register holds, and the largest number of registers; 0 where there is no such kernel.
int table_lanes(Isa isa, int element_bytes);
int table_max_registers(Isa isa, int element_bytes);

}  // namespace garner::jit
