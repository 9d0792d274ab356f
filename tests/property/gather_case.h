// SPDX-License-Identifier: Apache-2.0
// One operator call with everything that decides its outcome, as the public API sees it.
#pragma once

#include <garner/garner.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/tensor.h"

namespace garner_test {

struct TensorCase {
  Shape shape;
  Shape strides;             // in elements
  bool pass_strides = true;  // false: dense, and the call passes NULL
  int64_t element_bytes = 0;
  int64_t byte_offset = 0;  // of element [0,...,0] in the buffer
  int64_t buffer_bytes = 0;
};

struct GatherCase {
  int32_t kind = GARNER_GATHER_ND_ONNX;
  int64_t batch_dims = 0;
  int64_t axis = 0;
  int32_t bounds = GARNER_BOUNDS_ERROR;
  int32_t negative = GARNER_NEGATIVE_DEFAULT;
  garner_dtype dtype = GARNER_FLOAT32;
  int64_t declared_element_bytes = 0;  // what garner_tensor.element_bytes says
  garner_dtype index_dtype = GARNER_INT64;
  TensorCase data;
  TensorCase indices;
  TensorCase output;
  bool pass_output = true;  // false: dense, and the call passes NULL
  std::string pattern;      // how the index values were drawn, for the message
  std::vector<std::byte> data_bytes;
  std::vector<std::byte> index_bytes;
};

inline bool is_gather_elements(const GatherCase& c) { return c.kind == GARNER_GATHER_ELEMENTS_ONNX; }

// The descriptors of a case; valid while the case lives unchanged.
struct Call {
  explicit Call(const GatherCase& c);
  const garner_tensor* output_or_null() const { return pass_output ? &output : nullptr; }

  garner_op op = GARNER_OP_INIT;
  garner_tensor data, indices, output;
  bool pass_output;
};

// Advances a multi-index in row-major order; false after the last one.
bool next_position(Shape& position, const Shape& shape);
// Bytes from element [0,...,0] to the one at `position`.
int64_t byte_distance(const TensorCase& tensor, const Shape& position);

struct Interval {
  int64_t low;   // lowest byte that an element covers, relative to element [0,...,0]
  int64_t high;  // one past the highest
};
// Empty for a tensor without elements.
Interval touched_bytes(const TensorCase& tensor);

// The problem string of garner-perf with strides and offsets added.
std::string describe(const GatherCase& c);

}  // namespace garner_test
