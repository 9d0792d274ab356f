// SPDX-License-Identifier: Apache-2.0
// Kernels depend on layouts, not on shapes: planning a handful of representative problems, without any buffer,
// emits what later plans find in the cache.
#include "src/prepare.h"

#include <algorithm>
#include <iterator>

#include "src/plan.h"
#include "src/struct_size.h"

namespace garner {
namespace {

struct Sample {
  int32_t data_rank;
  int32_t index_rank;
  int64_t batch_dims;
  int64_t axis;
  int64_t data[max_rank];
  int64_t indices[max_rank];
};

class Preparation {
 public:
  Preparation(garner_context& context, const garner_op& op, const garner_tensor& data, const garner_tensor& indices,
              const ErrorReport& report)
      : context_(context), op_(op), data_(data), indices_(indices), report_(report) {}

  garner_status plan(const Sample& sample) {
    op_.batch_dims = sample.batch_dims;
    op_.axis = sample.axis;
    data_.rank = sample.data_rank;
    data_.shape = sample.data;
    indices_.rank = sample.index_rank;
    indices_.shape = sample.indices;
    garner_plan plan;
    // What the caller named must be right, whatever can run it.
    GARNER_RETURN_IF_FAILED(check_operation(&op_, &data_, &indices_, nullptr, plan.operation, report_));
    const garner_status status = open_plan(context_, &op_, &data_, &indices_, nullptr, plan, report_);
    // A forced path that cannot take a sample says nothing about the caller's own problems.
    if (status == GARNER_UNSUPPORTED) return GARNER_OK;
    if (status == GARNER_OK) close_plan(plan);
    return status;
  }

 private:
  garner_context& context_;
  garner_op op_;
  garner_tensor data_;
  garner_tensor indices_;
  const ErrorReport& report_;
};

// A table that registers hold, one that a cache holds, and one whose byte offsets need more than 32 bits.
constexpr int64_t table_elements[] = {16, int64_t{1} << 14, int64_t{1} << 34};
constexpr int64_t many_tuples = 4096;

// Data with K addressed axes of `elements` elements in all, behind an optional batch dim.
Sample nd_sample(int32_t coord_count, int64_t elements, int64_t batch) {
  Sample sample{};
  int32_t rank = 0;
  if (batch > 0) sample.data[rank++] = batch;
  for (int32_t k = 0; k < coord_count; ++k) sample.data[rank++] = k + 1 < coord_count ? 2 : 0;
  sample.data[rank - 1] = std::max<int64_t>(1, elements >> (coord_count - 1));
  sample.data_rank = rank;
  sample.batch_dims = batch > 0 ? 1 : 0;
  sample.index_rank = 2 + static_cast<int32_t>(sample.batch_dims);
  if (batch > 0) sample.indices[0] = batch;
  sample.indices[sample.index_rank - 2] = batch > 1 ? 1 : many_tuples;
  sample.indices[sample.index_rank - 1] = coord_count;
  return sample;
}

garner_status prepare_nd(Preparation& preparation, int32_t coord_count, bool batched) {
  for (const int64_t elements : table_elements) {
    GARNER_RETURN_IF_FAILED(preparation.plan(nd_sample(coord_count, elements, 0)));
    // One tuple for each of many batches.
    if (batched && coord_count < max_rank - 1) {
      GARNER_RETURN_IF_FAILED(preparation.plan(nd_sample(coord_count, elements, many_tuples)));
    }
  }
  return GARNER_OK;
}

garner_status prepare_elements(Preparation& preparation, int64_t axis) {
  // Rows of data and of indices, long and short, around the axis.
  constexpr int64_t lengths[] = {4, 1024};
  for (const int64_t elements : table_elements) {
    for (const int64_t length : lengths) {
      Sample sample{};
      sample.axis = axis == 0 ? 0 : axis == -1 ? -1 : 1;
      sample.data_rank = sample.index_rank = 3;
      std::fill_n(sample.data, 3, length);
      std::fill_n(sample.indices, 3, length);
      const int64_t place = sample.axis < 0 ? 2 : sample.axis;
      sample.data[place] = elements;
      sample.indices[place] = length;
      GARNER_RETURN_IF_FAILED(preparation.plan(sample));
    }
  }
  return GARNER_OK;
}

}  // namespace

garner_status prepare_kernels(garner_context& context, const garner_op* given_op, garner_dtype dtype,
                              int64_t element_bytes, garner_dtype index_dtype, int32_t coord_count,
                              const ErrorReport& report) {
  garner_op op = GARNER_OP_INIT;
  GARNER_RETURN_IF_FAILED(accept_struct(given_op, GARNER_ARGUMENT_OP, "op", op, report));
  const bool elements = op.kind == GARNER_GATHER_ELEMENTS_ONNX;
  const int32_t highest = elements ? 1 : max_rank;
  if (coord_count < 1 || coord_count > highest) {
    return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_NONE, "K is ", coord_count, "; it must be in 1..",
                       highest);
  }
  garner_tensor data = GARNER_TENSOR_INIT;
  data.dtype = dtype;
  data.element_bytes = element_bytes;
  garner_tensor indices = GARNER_TENSOR_INIT;
  indices.dtype = index_dtype;
  Preparation preparation(context, op, data, indices, report);
  // The axis counts from the end only when it is the last one; any other negative axis is a middle one to a kernel.
  if (elements) return prepare_elements(preparation, op.axis);
  return prepare_nd(preparation, coord_count, op.batch_dims > 0);
}

}  // namespace garner
