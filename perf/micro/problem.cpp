// SPDX-License-Identifier: Apache-2.0
#include "perf/micro/problem.h"

namespace garner::micro {
namespace {

int64_t count(const int64_t* begin, const int64_t* end) {
  int64_t n = 1;
  for (; begin != end; ++begin) n *= *begin;
  return n;
}
int64_t count(const std::vector<int64_t>& shape) { return count(shape.data(), shape.data() + shape.size()); }

garner_tensor describe(garner_dtype dtype, const std::vector<int64_t>& shape) {
  garner_tensor tensor = GARNER_TENSOR_INIT;
  tensor.dtype = dtype;
  tensor.rank = static_cast<int32_t>(shape.size());
  tensor.shape = shape.data();
  return tensor;
}

}  // namespace

Problem::Problem(const Shape& shape) : shape_(shape) {
  op_.kind = shape_.kind;
  op_.batch_dims = shape_.batch_dims;
  op_.axis = shape_.axis;
  data_ = describe(shape_.dtype, shape_.data);
  indices_ = describe(GARNER_INT64, shape_.indices);
  int64_t extents[GARNER_MAX_RANK];
  int32_t rank = 0;
  if (garner_infer_shape(&op_, &data_, &indices_, extents, GARNER_MAX_RANK, &rank, nullptr) == GARNER_OK)
    output_elements_ = count(extents, extents + rank);
}

garner_plan* Problem::plan(garner_context* context, garner_error* error) const {
  garner_plan* plan = nullptr;
  garner_plan_create(context, &op_, &data_, &indices_, nullptr, &plan, error);
  return plan;
}

Buffers::Buffers(const Problem& problem) {
  const Shape& shape = problem.shape();
  const auto bytes = static_cast<size_t>(problem.element_bytes());
  data_.assign(static_cast<size_t>(count(shape.data)) * bytes, std::byte{1});
  output_.resize(static_cast<size_t>(problem.output_elements()) * bytes);
  indices_.resize(static_cast<size_t>(count(shape.indices)));
  uint64_t state = 1;
  for (size_t i = 0; i < indices_.size(); ++i) {
    const bool elements = shape.kind == GARNER_GATHER_ELEMENTS_ONNX;
    const size_t axis = elements
                            ? static_cast<size_t>(shape.axis)
                            : static_cast<size_t>(shape.batch_dims) + i % static_cast<size_t>(shape.indices.back());
    state = state * 6364136223846793005u + 1442695040888963407u;
    indices_[i] = static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(shape.data[axis]));
  }
}

garner_args Buffers::arguments(int32_t threads) {
  garner_args args = GARNER_ARGS_INIT;
  args.max_threads = threads;
  args.data = data_.data();
  args.data_bytes = data_.size();
  args.indices = indices_.data();
  args.indices_bytes = indices_.size() * sizeof(int64_t);
  args.output = output_.data();
  args.output_bytes = output_.size();
  return args;
}

}  // namespace garner::micro
