// SPDX-License-Identifier: Apache-2.0
// A gather over dense tensors as plain numbers: what the hand-written loop and the probes work on. The files that use
// it are compiled once per ISA level, so this header holds data only, no function that the linker could merge between
// them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace garner::perf {

enum class LoopBounds : uint8_t { error, clamp, zero };

struct DenseGather {
  static constexpr int max_dims = 16;

  bool elements;  // GatherElements
  bool index_signed;
  int index_bytes;  // 1, 2, 4, 8
  LoopBounds bounds;
  bool wraps;         // negative indices count from the end
  int64_t positions;  // tuples, or elements of indices

  // GatherND, in bytes.
  int64_t k;
  int64_t slice_bytes;
  int64_t per_batch;    // tuples of one batch
  int64_t batch_bytes;  // of data
  int64_t extent[max_dims];
  int64_t step[max_dims];
  int64_t wrap[max_dims];  // what a negative index gains: the extent, or 0 (GatherElements: the first)

  // GatherElements, in elements.
  int64_t element_bytes;
  bool same_rest;  // data and indices agree outside the axis, so [outer, length, inner] describes both
  int64_t length;  // of indices along the axis
  int64_t inner;
  int64_t axis_extent;  // of data
  int rank;
  int axis;
  int64_t index_shape[max_dims];
  int64_t data_stride[max_dims];
};

// Works on positions [begin, end); false when it met a bad index under LoopBounds::error.
using LoopFunction = bool (*)(const DenseGather& gather, const std::byte* data, const std::byte* indices,
                              std::byte* output, int64_t begin, int64_t end);

// NULL when the combination is not instantiated.
LoopFunction baseline_loop_v1(const DenseGather& gather);
LoopFunction baseline_loop_v3(const DenseGather& gather);
LoopFunction baseline_loop_v4(const DenseGather& gather);

// Each moves or reads what its name says, on the part [begin, end) of the positions or bytes.
using CopyFunction = void (*)(std::byte* dst, const std::byte* src, int64_t bytes);
using StreamFunction = void (*)(std::byte* output, int64_t output_bytes, const std::byte* indices, int64_t index_bytes);
// Loads one byte per index, or per cache line of a slice; the indices must be legal. Returns a sum that keeps the
// loads alive.
using TouchFunction = uint64_t (*)(const DenseGather& gather, const std::byte* data, const std::byte* indices,
                                   int64_t begin, int64_t end);

struct ProbeSet {
  static constexpr int max_variants = 4;
  CopyFunction copy[max_variants];  // a NULL ends each list that is shorter
  StreamFunction stream[max_variants];
  TouchFunction touch[max_variants];
};
ProbeSet probes_v1(const DenseGather& gather);
ProbeSet probes_v3(const DenseGather& gather);
ProbeSet probes_v4(const DenseGather& gather);

}  // namespace garner::perf
