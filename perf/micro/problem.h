// SPDX-License-Identifier: Apache-2.0
// Problems for the micro benchmarks, which look at one thing under a profiler. For judging a change use garner-perf, which
// interleaves rivals and ceilings.
#pragma once

#include <garner/garner.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace garner::micro {

struct Shape {
  std::vector<int64_t> data;
  std::vector<int64_t> indices;
  int32_t kind = GARNER_GATHER_ND_ONNX;
  int64_t batch_dims = 0;
  int64_t axis = 0;
  garner_dtype dtype = GARNER_FLOAT32;
};

// What the C API wants to know of a shape; keeps it.
class Problem {
 public:
  explicit Problem(const Shape& shape);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  // NULL when it fails; then `error` says why.
  garner_plan* plan(garner_context* context, garner_error* error = nullptr) const;
  int64_t output_elements() const { return output_elements_; }
  int64_t element_bytes() const { return garner_dtype_bytes(shape_.dtype); }
  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
  garner_op op_ = GARNER_OP_INIT;
  garner_tensor data_ = GARNER_TENSOR_INIT;
  garner_tensor indices_ = GARNER_TENSOR_INIT;
  int64_t output_elements_ = 0;
};

// Tables, legal indices without a pattern that hardware could predict, and room for the output.
class Buffers {
 public:
  explicit Buffers(const Problem& problem);
  garner_args arguments(int32_t threads);

 private:
  std::vector<std::byte> data_;
  std::vector<int64_t> indices_;
  std::vector<std::byte> output_;
};

}  // namespace garner::micro
