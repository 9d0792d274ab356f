// SPDX-License-Identifier: Apache-2.0
// The one function type behind which emitted, copying and scalar kernels are interchangeable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/gather_problem.h"

namespace garner {

// The host's callback for one owning element (garner_copy_fn).
using CopyElement = int32_t (*)(void* ctx, void* dst, const void* src);

// Where a scalar kernel stopped. `position` counts from the first position of its call.
struct KernelFailure {
  int64_t position;
  int64_t value;  // the index as read; its bits for u64
  int64_t extent;
  int32_t coordinate;
  int32_t callback_code;  // non-zero: the callback failed, and the other fields mean nothing
};

// The widest slice that an emitted kernel copies.
inline constexpr int64_t zeros_bytes = 256;

struct MoverArgs;
// Copies `count` runs; runtime/copy_kernel.h.
using Mover = void (*)(const MoverArgs&);

// A call works on `count` consecutive positions, in row-major order, of the two innermost dims: rows of `columns`
// positions, the first one at `column`. Emitted kernels read the fields before `problem`, and coords.
struct KernelArgs {
  const std::byte* data;     // what the index tuple (0,...,0) addresses at the first position
  const std::byte* indices;  // the first position's tuple
  std::byte* output;         // where the first position's slice goes
  int64_t count;             // > 0
  int64_t columns;           // >= 1
  int64_t column;            // 0 <= column < columns
  int64_t data_column;       // byte strides from one column to the next
  int64_t index_column;
  int64_t output_column;
  int64_t data_carry;  // added as well when a row is complete: row stride - columns * column stride
  int64_t index_carry;
  int64_t output_carry;
  const std::byte* zeros;  // zeros_bytes of them: the source of a bad tuple's slice under Bounds::zero

  const GatherProblem* problem;
  // The part of each slice that this call copies: runs [first_run, first_run + run_count) of the slice nest (in
  // row-major order), run_bytes of each from the addresses above.
  int64_t first_run;
  int64_t run_count;
  int64_t run_bytes;
  Mover mover;               // copy path only
  int64_t prefetch;          // copy path only: how many tuples ahead to prefetch, 0 for none
  bool detect_runs;          // copy path only: consecutive slices may be copied at once
  CopyElement copy_element;  // ElementKind::host_object only
  void* copy_ctx;
  KernelFailure* failure;  // filled by the scalar kernel only

  Coord coords[max_rank];  // last: most calls need the first few only
};

// Returns how many positions were completed: `count` when all is well. Less: the scalar kernel stopped exactly at a bad
// tuple (or failed callback) and filled `failure`; any other kernel met a bad tuple somewhere in the `kernel_block`
// positions from there on, and the caller lets the scalar kernel do these.
using KernelFunction = int64_t (*)(const KernelArgs* args);

// No kernel leaves more positions undone than this before a bad tuple.
inline constexpr int64_t kernel_block = 256;

}  // namespace garner
