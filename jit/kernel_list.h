// SPDX-License-Identifier: Apache-2.0
// The list of kernels (body x width x ISA) from which tests, benchmarks, `garner-perf info` and the documentation are fed.
// Index type, number of coordinates, policy and lane form are parameters of a kernel; key_is_valid says which go together.
#pragma once

#include <span>

#include "jit/kernel_key.h"

namespace garner::jit {

// All widths from least_bytes to most_bytes; they are equal for all bodies but `slices`.
struct ListedKernel {
  Body body;
  Isa isa;
  uint16_t least_bytes;
  uint16_t most_bytes;
};

std::span<const ListedKernel> kernel_list();

// Whether a generator exists for exactly this key; emit_kernel answers `internal` for any other.
bool key_is_valid(const KernelKey& key);

// Positions that a kernel handles at a time, for tests that want each tail length.
int block_positions(const KernelKey& key);

// How a slice of `slice_bytes` is copied: pieces of 64 (AVX-512), 32, 16, 8, 4, 2 or 1 bytes, of which the last may overlap the
// one before. `count` vector registers hold them.
struct SlicePieces {
  int count;
  int bytes[8];
  int at[8];
};
SlicePieces slice_pieces(Isa isa, int slice_bytes);

// Positions whose elements a far kernel prefetches before it loads the first; shorter rows gain nothing.
inline constexpr int far_positions = 64;

// Table body: how many entries one register covers, whole ones or one plane of them; and the largest number of registers, 0 where there
// is no such kernel.
int table_lanes(const KernelKey& key);
int table_max_registers(const KernelKey& key);
// Its other form, in Lanes::unit: whether there is one, and how many rows it chooses from; as many as table_registers says.
bool has_column_tables(Isa isa, int element_bytes);
inline constexpr int most_table_rows = 8;

}  // namespace garner::jit
