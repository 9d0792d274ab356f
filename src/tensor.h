// SPDX-License-Identifier: Apache-2.0
// A caller's tensor description, checked step by step in the order that the API promises, and completed.
#pragma once

#include <garner/garner.h>

#include <cstdint>

#include "runtime/gather_problem.h"
#include "src/error.h"

namespace garner {

static_assert(GARNER_MAX_RANK == max_rank);

struct Tensor {
  garner_dtype dtype;
  ElementKind element_kind;
  bool strided;  // the caller gave strides
  int32_t rank;
  int64_t element_bytes;
  int64_t byte_offset;
  int64_t element_count;
  int64_t shape[max_rank];
  int64_t strides[max_rank];  // bytes; 0 where they cannot matter: extents of at most 1, empty tensors

  int64_t bytes() const { return element_count * element_bytes; }
  bool empty() const { return element_count == 0; }
};

// "data", "indices", "output" by GARNER_ARGUMENT_...
const char* tensor_name(int32_t argument);

// Each step relies on the ones before it.
garner_status check_type(const garner_tensor& given, int32_t argument, Tensor& tensor, const ErrorReport& report);
garner_status check_rank(const garner_tensor& given, int32_t argument, Tensor& tensor, const ErrorReport& report);
garner_status check_extents(const garner_tensor& given, int32_t argument, Tensor& tensor, const ErrorReport& report);
// Sets element_count from the shape; fails when it or the byte count overflows int64.
garner_status check_size(int32_t argument, Tensor& tensor, const ErrorReport& report);
// given_strides NULL: dense.
garner_status check_strides(const int64_t* given_strides, int32_t argument, Tensor& tensor, const ErrorReport& report);

}  // namespace garner
