// SPDX-License-Identifier: Apache-2.0
// The one normal form: every operator is this movement of bytes. All extents are counts, all strides are bytes.
//
//   for each position in dims:
//     dst = output + output_offset + sum(position * output_stride)
//     src = data + data_offset + sum(position * data_stride) + sum_k wrap(index_k, coords[k].extent) * coords[k].data_stride
//     copy the slice nest from src to dst
//
// index_k is read at indices + index_offset + sum(position * index_stride) + sum_k coords[k].index_stride.
#pragma once

#include <cstdint>

namespace garner {

inline constexpr int max_rank = 16;

enum class IndexType : uint8_t { i8, u8, i16, u16, i32, u32, i64, u64 };
enum class Bounds : uint8_t { error, clamp, zero };
enum class Negative : uint8_t { wrap, reject };
// What an element is to a copy: bytes (string views included), or an object of the host's that only its callback can
// assign.
enum class ElementKind : uint8_t { bytes, host_object };

constexpr int index_bytes(IndexType type) { return 1 << (static_cast<int>(type) >> 1); }
constexpr bool index_is_signed(IndexType type) { return (static_cast<int>(type) & 1) == 0; }

struct Dim {
  int64_t extent;  // >= 2 after collapsing
  int64_t data_stride;
  int64_t index_stride;
  int64_t output_stride;
};

struct Coord {
  int64_t extent;
  int64_t data_stride;
  int64_t
      index_stride;  // from the address of the position to that of this coordinate: k * stride of the last index axis
};

struct SliceDim {
  int64_t extent;  // >= 2 after collapsing
  int64_t data_stride;
  int64_t output_stride;
};

struct GatherProblem {
  IndexType index_type;
  Bounds bounds;
  Negative negative;
  ElementKind element_kind;
  int32_t dim_count;        // 0: a single tuple
  int32_t coord_count;      // K, at least 1
  int32_t slice_dim_count;  // 0: a tuple copies one dense run
  int64_t element_bytes;
  int64_t run_bytes;    // bytes of one dense run; 0 when the slice is empty
  int64_t run_count;    // runs of a slice: product of the slice extents
  int64_t tuple_count;  // product of the dim extents
  int64_t data_offset;  // bytes from the buffer's start to element [0,...,0]
  int64_t index_offset;
  int64_t output_offset;
  Dim dims[max_rank];        // outermost first
  Coord coords[max_rank];    // in the order of the index tuple
  SliceDim slice[max_rank];  // outermost first
};

}  // namespace garner
