// SPDX-License-Identifier: Apache-2.0
// ONNX models of one gather node, as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/tensor.h"

namespace garner_test {

struct OneNode {
  std::string domain;  // "": the standard one
  std::string op_type;
  std::string attribute;  // "": none
  int64_t value = 0;
  garner_dtype dtype = GARNER_FLOAT32;
  garner_dtype index_dtype = GARNER_INT64;
  // Declared shapes of the inputs; none: any rank.
  std::optional<Shape> data_shape, indices_shape;
};

// Inputs "data" and "indices", output "output" of a shape that the runtime has to find out.
std::string onnx_model(const OneNode& node);

}  // namespace garner_test
