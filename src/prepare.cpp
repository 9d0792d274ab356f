// SPDX-License-Identifier: Apache-2.0
// Kernels depend on layouts, not on shapes: planning a handful of representative problems, without any buffer,
// emits what later plans find in the cache.
#include "src/prepare.h"

#include <algorithm>
#include <iterator>

#include "src/normal_form.h"
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
    plan.context = &context_;
    // What the caller named must be right, whatever can run it.
    GARNER_RETURN_IF_FAILED(check_operation(&op_, &data_, &indices_, nullptr, plan.operation, report_));
    build_problem(plan.operation, plan.execution.problem);
    const garner_status status = choose_path(context_, plan.operation, plan.decision, plan.execution, report_);
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

constexpr int64_t many = 4096;
// Tuples to a batch, or positions to a row: one, shorter than any block, as long as some, and long.
constexpr int64_t lengths[] = {1, 4, 32, many};

// Elements of a table: one for each number of registers that may hold it, one for a cache, and one whose byte offsets need more
// than 32 bits.
struct TableSizes {
  explicit TableSizes(int64_t element_bytes) {
    for (int64_t elements = 8; elements <= 256; elements *= 2) sizes[count++] = elements;
    sizes[count++] = int64_t{1} << 14;
    sizes[count++] = (int64_t{1} << 34) / std::max<int64_t>(element_bytes, 1);
  }
  int32_t count = 0;
  int64_t sizes[8];
};

// Data with K addressed axes of `elements` elements in all, behind an optional batch dim of `batch`.
Sample nd_sample(int32_t coord_count, int64_t elements, int64_t batch, int64_t tuples) {
  Sample sample{};
  int32_t rank = 0;
  if (batch > 0) sample.data[rank++] = batch;
  for (int32_t k = 0; k + 1 < coord_count; ++k) sample.data[rank++] = 2;
  sample.data[rank++] = std::max<int64_t>(2, elements >> (coord_count - 1));
  sample.data_rank = rank;
  sample.batch_dims = batch > 0 ? 1 : 0;
  sample.index_rank = 2 + static_cast<int32_t>(sample.batch_dims);
  if (batch > 0) sample.indices[0] = batch;
  sample.indices[sample.index_rank - 2] = tuples;
  sample.indices[sample.index_rank - 1] = coord_count;
  return sample;
}

garner_status prepare_nd(Preparation& preparation, const TableSizes& tables, int32_t coord_count, bool batched) {
  for (int32_t table = 0; table < tables.count; ++table) {
    GARNER_RETURN_IF_FAILED(preparation.plan(nd_sample(coord_count, tables.sizes[table], 0, many)));
    if (!batched || coord_count == max_rank) continue;
    for (const int64_t tuples : lengths) {
      GARNER_RETURN_IF_FAILED(preparation.plan(nd_sample(coord_count, tables.sizes[table], 64, tuples)));
    }
  }
  return GARNER_OK;
}

// Every place of an axis among up to two others: what it is called (1 or -2, say) does not tell how a model lays it out.
garner_status prepare_elements(Preparation& preparation, const TableSizes& tables) {
  for (int32_t table = 0; table < tables.count; ++table) {
    for (const int64_t length : lengths) {
      for (int32_t rank = 1; rank <= 3; ++rank) {
        for (int32_t axis = 0; axis < rank; ++axis) {
          Sample sample{};
          sample.axis = axis;
          sample.data_rank = sample.index_rank = rank;
          std::fill_n(sample.data, rank, length);
          std::fill_n(sample.indices, rank, length);
          sample.data[axis] = tables.sizes[table];
          // On the last axis its own length makes the row.
          sample.indices[axis] = axis == rank - 1 ? length : 64;
          if (axis == rank - 1 && rank > 1) sample.indices[0] = sample.data[0] = 64;
          GARNER_RETURN_IF_FAILED(preparation.plan(sample));
        }
      }
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
  if (op.batch_dims < 0) {
    return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, "batch_dims is ", op.batch_dims,
                       "; it must not be negative");
  }
  const TableSizes tables(element_bytes > 0 ? element_bytes : garner_dtype_bytes(dtype));
  Preparation preparation(context, op, data, indices, report);
  if (elements) return prepare_elements(preparation, tables);
  return prepare_nd(preparation, tables, coord_count, op.batch_dims > 0);
}

}  // namespace garner
