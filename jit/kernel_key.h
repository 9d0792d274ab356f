// SPDX-License-Identifier: Apache-2.0
// What distinguishes one emitted kernel from another. Shapes are arguments, not keys, so the set of kernels is small; only the
// width of what a position copies is part of the code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cpu.h"
#include "runtime/gather_problem.h"
#include "runtime/kernel.h"

namespace garner::jit {

enum class Body : uint8_t {
  table,     // a small table is looked up by permutes
  loads,     // scalar loads assembled in vectors
  hardware,  // vpgather
  slices,    // the copy path: short slices of any length
};
const char* body_name(Body body);

inline constexpr int64_t least_slice_bytes = 3;
inline constexpr int64_t most_slice_bytes = zeros_bytes;

// How the addresses of neighbouring positions relate. Index and output are dense along a row except in `strided`.
enum class Lanes : uint8_t {
  flat,     // a row's positions share one data base
  unit,     // the data base moves by one element per column
  step,     // the data base moves by any stride per column
  folded,   // rows shorter than a block: index and output dense across rows, the data base carried by compare
  strided,  // any strides anywhere; one position at a time
};
const char* lanes_name(Lanes lanes);

// Zero-padded; hashed and compared as bytes.
struct KernelKey {
  Body body;
  Isa isa;
  Lanes lanes;
  IndexType index_type;
  Bounds bounds;
  Negative negative;
  uint16_t element_bytes;  // 1, 2, 4, 8 or 16; Body::slices: of a slice, up to most_slice_bytes
  uint8_t coord_count;     // 1..max_rank
  uint8_t unit_coord;      // 1: the last coordinate's data stride is element_bytes
  uint8_t narrow_address;  // 1: hardware body may compute offsets in 32 bits
  uint8_t detect_rows;     // 1: blocks whose indices are all equal become contiguous copies (Lanes::unit)
  uint8_t far;  // 1: rows of a table beyond the caches: prefetches many elements before it loads them (loads body)
  uint8_t table_registers;  // table body: registers that hold the table, or each plane of it, a power of two
  uint8_t byte_planes;  // table body with AVX2: bytes of an element that are looked up one by one; 0: whole elements
  uint8_t padding;
};
static_assert(sizeof(KernelKey) == 16);

// "gather_x32_loads_i64_k1_wrap_error_flat__avx512"; the same in plan text, log, dump, perf map and report.
inline constexpr size_t kernel_name_capacity = 96;
void kernel_name(const KernelKey& key, char (&name)[kernel_name_capacity]);

}  // namespace garner::jit
