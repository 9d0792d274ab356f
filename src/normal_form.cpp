// SPDX-License-Identifier: Apache-2.0
#include "src/normal_form.h"

#include <algorithm>

#include "src/dtype.h"

namespace garner {
namespace {

// Whether one step of an outer stride equals a whole row of the inner one.
bool continues(int64_t outer_stride, int64_t inner_extent, int64_t inner_stride) {
  int64_t row = 0;
  return !__builtin_mul_overflow(inner_extent, inner_stride, &row) && row == outer_stride;
}

bool continues(const Dim& outer, const Dim& inner) {
  return continues(outer.data_stride, inner.extent, inner.data_stride) &&
         continues(outer.index_stride, inner.extent, inner.index_stride) &&
         continues(outer.output_stride, inner.extent, inner.output_stride);
}

bool continues(const SliceDim& outer, const SliceDim& inner) {
  return continues(outer.data_stride, inner.extent, inner.data_stride) &&
         continues(outer.output_stride, inner.extent, inner.output_stride);
}

// Appends a dim to a nest, outermost first: extents of 1 vanish, and a dim that continues the one before is merged
// with it. The axis of GatherElements never merges with a neighbour that moves in data, since its own data stride is 0.
template <class AnyDim>
void append(AnyDim* nest, int32_t& count, const AnyDim& dim) {
  if (dim.extent == 1) return;
  if (count > 0 && continues(nest[count - 1], dim)) {
    const int64_t extent = nest[count - 1].extent * dim.extent;
    nest[count - 1] = dim;
    nest[count - 1].extent = extent;
    return;
  }
  nest[count++] = dim;
}

// Strides of the output per tuple dim; a merged batch dim is split again into those of indices.
void output_tuple_strides(const Operation& operation, int64_t (&strides)[max_rank]) {
  const int32_t tuple_rank = operation.tuple_rank();
  const int64_t* const output = operation.output.strides;
  if (!operation.merges_batch_dims()) {
    std::copy_n(output, tuple_rank, strides);
    return;
  }
  int64_t stride = output[0];
  for (int32_t d = operation.batch_dims - 1; d >= 0; --d) {
    strides[d] = stride;
    // May wrap only where all further extents are 1 and the stride is never used.
    if (__builtin_mul_overflow(stride, operation.indices.shape[d], &stride)) stride = 0;
  }
  std::copy_n(output + 1, tuple_rank - operation.batch_dims, strides + operation.batch_dims);
}

void build_dims(const Operation& operation, GatherProblem& problem) {
  const int32_t tuple_rank = operation.tuple_rank();
  const Tensor& data = operation.data;
  const Tensor& indices = operation.indices;
  problem.dim_count = 0;
  problem.tuple_count = 1;
  for (int32_t d = 0; d < tuple_rank; ++d) {
    if (indices.shape[d] == 0) {
      problem.tuple_count = 0;
      return;
    }
  }
  int64_t output_strides[max_rank];
  output_tuple_strides(operation, output_strides);
  for (int32_t d = 0; d < tuple_rank; ++d) {
    const bool moves_in_data = operation.elements() ? d != operation.axis : d < operation.batch_dims;
    append(problem.dims, problem.dim_count,
           {indices.shape[d], moves_in_data ? data.strides[d] : 0, indices.strides[d], output_strides[d]});
    problem.tuple_count *= indices.shape[d];
  }
}

void build_coords(const Operation& operation, GatherProblem& problem) {
  const Tensor& indices = operation.indices;
  const int64_t step = operation.elements() ? 0 : indices.strides[indices.rank - 1];
  problem.coord_count = operation.coord_count;
  for (int32_t k = 0; k < operation.coord_count; ++k) {
    const int32_t axis = operation.data_axis(k);
    problem.coords[k] = {operation.data.shape[axis], operation.data.strides[axis], k * step};
  }
}

void build_slice(const Operation& operation, GatherProblem& problem) {
  const Tensor& data = operation.data;
  const Tensor& output = operation.output;
  problem.slice_dim_count = 0;
  problem.run_bytes = data.element_bytes;
  problem.run_count = 1;
  if (operation.elements()) return;
  if (problem.tuple_count == 0) {
    // Nothing is copied, and the extents of data need not even have a product.
    problem.run_bytes = 0;
    return;
  }

  const int32_t first = operation.batch_dims + operation.coord_count;
  const int32_t slice_rank = data.rank - first;
  for (int32_t d = first; d < data.rank; ++d) {
    if (data.shape[d] == 0) {
      problem.run_bytes = 0;
      return;
    }
  }
  const int64_t* const output_strides = output.strides + (output.rank - slice_rank);
  for (int32_t i = 0; i < slice_rank; ++i) {
    append(problem.slice, problem.slice_dim_count, {data.shape[first + i], data.strides[first + i], output_strides[i]});
  }
  // The innermost dim is the dense run when its elements lie side by side on both sides.
  if (problem.slice_dim_count > 0) {
    const SliceDim& last = problem.slice[problem.slice_dim_count - 1];
    if (last.data_stride == data.element_bytes && last.output_stride == data.element_bytes) {
      problem.run_bytes *= last.extent;
      --problem.slice_dim_count;
    }
  }
  for (int32_t i = 0; i < problem.slice_dim_count; ++i) problem.run_count *= problem.slice[i].extent;
}

}  // namespace

void build_problem(const Operation& operation, GatherProblem& problem) {
  problem.index_type = to_index_type(operation.indices.dtype);
  problem.bounds = operation.bounds;
  problem.negative = operation.negative;
  problem.element_kind = operation.data.element_kind;
  problem.element_bytes = operation.data.element_bytes;
  // Nothing of an empty tensor is addressed, and its buffer may be NULL.
  problem.data_offset = operation.data.empty() ? 0 : operation.data.byte_offset;
  problem.index_offset = operation.indices.empty() ? 0 : operation.indices.byte_offset;
  problem.output_offset = operation.output.empty() ? 0 : operation.output.byte_offset;
  build_dims(operation, problem);
  build_coords(operation, problem);
  build_slice(operation, problem);
}

}  // namespace garner
