// SPDX-License-Identifier: Apache-2.0
// The functions of this file stand in the order in which the API promises to check.
#include "src/operation.h"

#include <algorithm>

#include "src/dtype.h"
#include "src/struct_size.h"

namespace garner {
namespace {

garner_status accept_tensor(const garner_tensor* given, int32_t argument, garner_tensor& full,
                            const ErrorReport& report) {
  full = GARNER_TENSOR_INIT;
  GARNER_RETURN_IF_FAILED(accept_struct(given, argument, tensor_name(argument), full, report));
  if (full.reserved == 0) return GARNER_OK;
  return report.fail(GARNER_INVALID_ARGUMENT, argument, "reserved field of ", tensor_name(argument), " is ",
                     full.reserved, "; it must be 0");
}

garner_status check_enums(const garner_op& op, Operation& operation, const ErrorReport& report) {
  switch (op.kind) {
    case GARNER_GATHER_ND_ONNX:
    case GARNER_GATHER_ND_OPENVINO_5:
    case GARNER_GATHER_ND_OPENVINO_8:
    case GARNER_GATHER_ELEMENTS_ONNX: operation.kind = op.kind; break;
    default:
      return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, "kind of op is ", op.kind, "; it must be 0..3");
  }
  switch (op.bounds) {
    case GARNER_BOUNDS_ERROR: operation.bounds = Bounds::error; break;
    case GARNER_BOUNDS_CLAMP: operation.bounds = Bounds::clamp; break;
    case GARNER_BOUNDS_ZERO: operation.bounds = Bounds::zero; break;
    default:
      return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, "bounds of op is ", op.bounds,
                         "; it must be 0..2");
  }
  switch (op.negative) {
    case GARNER_NEGATIVE_DEFAULT:
      operation.negative = op.kind == GARNER_GATHER_ND_OPENVINO_5 ? Negative::reject : Negative::wrap;
      break;
    case GARNER_NEGATIVE_WRAP: operation.negative = Negative::wrap; break;
    case GARNER_NEGATIVE_REJECT: operation.negative = Negative::reject; break;
    default:
      return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, "negative of op is ", op.negative,
                         "; it must be 0..2");
  }
  return GARNER_OK;
}

garner_status check_types(const GivenOperands& given, Operation& operation, const ErrorReport& report) {
  const Tensor& data = operation.data;
  Tensor& output = operation.output;
  GARNER_RETURN_IF_FAILED(check_type(given.data, GARNER_ARGUMENT_DATA, operation.data, report));
  GARNER_RETURN_IF_FAILED(check_type(given.indices, GARNER_ARGUMENT_INDICES, operation.indices, report));
  if (given.output_given) {
    GARNER_RETURN_IF_FAILED(check_type(given.output, GARNER_ARGUMENT_OUTPUT, output, report));
    if (output.dtype != data.dtype) {
      return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, "dtype of output is ",
                         dtype_info(output.dtype).name, "; that of data is ", dtype_info(data.dtype).name);
    }
    if (output.element_bytes != data.element_bytes || output.element_kind != data.element_kind) {
      return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, "element_bytes of output is ",
                         given.output.element_bytes, "; that of data is ", given.data.element_bytes);
    }
  }
  output.dtype = data.dtype;
  output.element_bytes = data.element_bytes;
  output.element_kind = data.element_kind;
  return GARNER_OK;
}

garner_status check_ranks(const GivenOperands& given, Operation& operation, const ErrorReport& report) {
  GARNER_RETURN_IF_FAILED(check_rank(given.data, GARNER_ARGUMENT_DATA, operation.data, report));
  GARNER_RETURN_IF_FAILED(check_rank(given.indices, GARNER_ARGUMENT_INDICES, operation.indices, report));
  if (given.output_given) {
    GARNER_RETURN_IF_FAILED(check_rank(given.output, GARNER_ARGUMENT_OUTPUT, operation.output, report));
  }
  if (operation.elements() && operation.indices.rank != operation.data.rank) {
    return report.fail(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_INDICES, "rank of indices is ", operation.indices.rank,
                       "; GatherElements needs that of data, ", operation.data.rank);
  }
  return GARNER_OK;
}

garner_status check_attributes(const garner_op& op, Operation& operation, const ErrorReport& report) {
  operation.batch_dims = 0;
  operation.axis = 0;
  if (operation.elements()) {
    const int64_t rank = operation.data.rank;
    if (op.axis < -rank || op.axis >= rank) {
      return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, "axis is ", op.axis, "; for data of rank ", rank,
                         " it must be in ", -rank, "..", rank - 1);
    }
    operation.axis = static_cast<int32_t>(op.axis < 0 ? op.axis + rank : op.axis);
    return GARNER_OK;
  }
  const int64_t limit = std::min(operation.data.rank, operation.indices.rank);
  if (op.batch_dims < 0 || op.batch_dims >= limit) {
    return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, "batch_dims is ", op.batch_dims,
                       "; for data of rank ", operation.data.rank, " and indices of rank ", operation.indices.rank,
                       " it must be in 0..", limit - 1);
  }
  operation.batch_dims = static_cast<int32_t>(op.batch_dims);
  return GARNER_OK;
}

garner_status infer_elements_shape(Operation& operation, const ErrorReport& report) {
  const Tensor& data = operation.data;
  const Tensor& indices = operation.indices;
  for (int32_t d = 0; d < data.rank; ++d) {
    if (d != operation.axis && indices.shape[d] > data.shape[d]) {
      return report.fail(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_INDICES, "extent ", d, " of indices is ",
                         indices.shape[d], "; outside the axis (", operation.axis,
                         ") it must be at most that of data, ", data.shape[d]);
    }
  }
  operation.coord_count = 1;
  operation.output.rank = indices.rank;
  std::copy_n(indices.shape, indices.rank, operation.output.shape);
  return GARNER_OK;
}

garner_status infer_nd_shape(Operation& operation, const ErrorReport& report) {
  const Tensor& data = operation.data;
  const Tensor& indices = operation.indices;
  const int32_t batch_dims = operation.batch_dims;
  for (int32_t d = 0; d < batch_dims; ++d) {
    if (indices.shape[d] != data.shape[d]) {
      return report.fail(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_INDICES, "extent ", d, " of indices is ",
                         indices.shape[d], "; with batch_dims ", batch_dims, " it must equal that of data, ",
                         data.shape[d]);
    }
  }
  const int64_t depth = indices.shape[indices.rank - 1];
  if (depth < 1 || depth > data.rank - batch_dims) {
    return report.fail(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_INDICES, "last extent of indices is ", depth,
                       "; for data of rank ", data.rank, " and batch_dims ", batch_dims, " it must be in 1..",
                       data.rank - batch_dims);
  }
  operation.coord_count = static_cast<int32_t>(depth);

  const int32_t merged = operation.merges_batch_dims() ? batch_dims : 0;
  const int32_t first_slice_dim = batch_dims + operation.coord_count;
  const int32_t rank = (merged > 0 ? 1 : 0) + (indices.rank - 1 - merged) + (data.rank - first_slice_dim);
  if (rank > max_rank) {
    return report.fail(GARNER_UNSUPPORTED, GARNER_ARGUMENT_OUTPUT, "the output would have rank ", rank, "; at most ",
                       int32_t{max_rank}, " is supported");
  }
  operation.output.rank = rank;
  int64_t* extent = operation.output.shape;
  if (merged > 0) {
    // An empty tensor may have batch extents whose product is no extent.
    int64_t product = 1;
    bool overflow = false;
    bool empty = false;
    for (int32_t d = 0; d < merged; ++d) {
      empty = empty || indices.shape[d] == 0;
      overflow = overflow || __builtin_mul_overflow(product, indices.shape[d], &product);
    }
    if (overflow && !empty) {
      return report.fail(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_INDICES, "the product of the first ", merged,
                         " extents of indices, ", Extents{indices.shape, indices.rank},
                         ", is more than an int64 can count");
    }
    *extent++ = empty ? 0 : product;
  }
  extent = std::copy(indices.shape + merged, indices.shape + indices.rank - 1, extent);
  std::copy(data.shape + first_slice_dim, data.shape + data.rank, extent);
  return GARNER_OK;
}

bool same_shape(const garner_tensor& given, const Tensor& inferred) {
  return given.rank == inferred.rank && std::equal(inferred.shape, inferred.shape + inferred.rank, given.shape);
}

garner_status check_shapes(const GivenOperands& given, Operation& operation, const ErrorReport& report) {
  GARNER_RETURN_IF_FAILED(check_extents(given.data, GARNER_ARGUMENT_DATA, operation.data, report));
  GARNER_RETURN_IF_FAILED(check_extents(given.indices, GARNER_ARGUMENT_INDICES, operation.indices, report));
  GARNER_RETURN_IF_FAILED(operation.elements() ? infer_elements_shape(operation, report)
                                               : infer_nd_shape(operation, report));
  if (given.output_given && !same_shape(given.output, operation.output)) {
    return report.fail(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_OUTPUT, "shape of output is ",
                       Extents{given.output.shape, given.output.rank}, "; it must be ",
                       Extents{operation.output.shape, operation.output.rank});
  }
  return GARNER_OK;
}

garner_status check_sizes(Operation& operation, const ErrorReport& report) {
  GARNER_RETURN_IF_FAILED(check_size(GARNER_ARGUMENT_DATA, operation.data, report));
  GARNER_RETURN_IF_FAILED(check_size(GARNER_ARGUMENT_INDICES, operation.indices, report));
  return check_size(GARNER_ARGUMENT_OUTPUT, operation.output, report);
}

}  // namespace

garner_status infer_operation(const garner_op* op, const garner_tensor* data, const garner_tensor* indices,
                              const garner_tensor* output, GivenOperands& given, Operation& operation,
                              const ErrorReport& report) {
  given.op = GARNER_OP_INIT;
  given.output_given = output != nullptr;
  GARNER_RETURN_IF_FAILED(accept_struct(op, GARNER_ARGUMENT_OP, "op", given.op, report));
  GARNER_RETURN_IF_FAILED(accept_tensor(data, GARNER_ARGUMENT_DATA, given.data, report));
  GARNER_RETURN_IF_FAILED(accept_tensor(indices, GARNER_ARGUMENT_INDICES, given.indices, report));
  if (given.output_given) {
    GARNER_RETURN_IF_FAILED(accept_tensor(output, GARNER_ARGUMENT_OUTPUT, given.output, report));
  }
  GARNER_RETURN_IF_FAILED(check_enums(given.op, operation, report));
  GARNER_RETURN_IF_FAILED(check_types(given, operation, report));
  GARNER_RETURN_IF_FAILED(check_ranks(given, operation, report));
  GARNER_RETURN_IF_FAILED(check_attributes(given.op, operation, report));
  GARNER_RETURN_IF_FAILED(check_shapes(given, operation, report));
  return check_sizes(operation, report);
}

garner_status check_operation(const garner_op* op, const garner_tensor* data, const garner_tensor* indices,
                              const garner_tensor* output, Operation& operation, const ErrorReport& report) {
  GivenOperands given;
  GARNER_RETURN_IF_FAILED(infer_operation(op, data, indices, output, given, operation, report));
  operation.data.byte_offset = given.data.byte_offset;
  operation.indices.byte_offset = given.indices.byte_offset;
  operation.output.byte_offset = given.output_given ? given.output.byte_offset : 0;

  const int64_t* const output_strides = given.output_given ? given.output.strides : nullptr;
  GARNER_RETURN_IF_FAILED(check_strides(given.data.strides, GARNER_ARGUMENT_DATA, operation.data, report));
  GARNER_RETURN_IF_FAILED(check_strides(given.indices.strides, GARNER_ARGUMENT_INDICES, operation.indices, report));
  GARNER_RETURN_IF_FAILED(check_strides(output_strides, GARNER_ARGUMENT_OUTPUT, operation.output, report));
  GARNER_RETURN_IF_FAILED(find_footprint(operation.data, GARNER_ARGUMENT_DATA, operation.data_footprint, report));
  GARNER_RETURN_IF_FAILED(
      find_footprint(operation.indices, GARNER_ARGUMENT_INDICES, operation.index_footprint, report));
  GARNER_RETURN_IF_FAILED(find_footprint(operation.output, GARNER_ARGUMENT_OUTPUT, operation.output_footprint, report));
  return check_distinct(operation.output, report);
}

}  // namespace garner
