// SPDX-License-Identifier: Apache-2.0
// An operator with its operands: everything that can be checked without buffers, and the inferred output.
#pragma once

#include <garner/garner.h>

#include <cstdint>

#include "runtime/gather_problem.h"
#include "src/error.h"
#include "src/footprint.h"
#include "src/tensor.h"

namespace garner {

struct Operation {
  int32_t kind;  // GARNER_GATHER_...
  Bounds bounds;
  Negative negative;
  int32_t batch_dims;   // 0 for GatherElements
  int32_t axis;         // GatherElements, in [0, rank)
  int32_t coord_count;  // K
  Tensor data;
  Tensor indices;
  Tensor output;
  Footprint data_footprint;
  Footprint index_footprint;
  Footprint output_footprint;

  bool elements() const { return kind == GARNER_GATHER_ELEMENTS_ONNX; }
  // How many leading dims of indices count tuples.
  int32_t tuple_rank() const { return elements() ? indices.rank : indices.rank - 1; }
  // The axis of data that coordinate k addresses.
  int32_t data_axis(int32_t k) const { return elements() ? axis : batch_dims + k; }
  // GatherND-5 reports several batch dims as one.
  bool merges_batch_dims() const { return kind == GARNER_GATHER_ND_OPENVINO_5 && batch_dims > 1; }
};

// Checks in the order struct sizes and enums, types, ranks, attributes, shapes, overflow. Fills all of `operation` but
// strides and footprints. output NULL: dense, as inferred; output_given says whether a descriptor was checked
// against it.
struct GivenOperands {
  garner_op op;
  garner_tensor data;
  garner_tensor indices;
  garner_tensor output;
  bool output_given;
};
garner_status infer_operation(const garner_op* op, const garner_tensor* data, const garner_tensor* indices,
                              const garner_tensor* output, GivenOperands& given, Operation& operation,
                              const ErrorReport& report);

// infer_operation, then strides and footprints.
garner_status check_operation(const garner_op* op, const garner_tensor* data, const garner_tensor* indices,
                              const garner_tensor* output, Operation& operation, const ErrorReport& report);

}  // namespace garner
