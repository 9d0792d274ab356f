// SPDX-License-Identifier: Apache-2.0
// What the operators mean, written down a second time: plain loops over multi-indices at the level of the operator.
// Shares nothing with the library, so an error would have to be made twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/property/gather_case.h"

namespace garner_test {

struct ModelResult {
  garner_status status = GARNER_OK;
  // For GARNER_OUT_OF_BOUNDS.
  int64_t position = 0;
  int32_t coordinate = 0;
  int32_t axis = 0;
  int64_t value = 0;
  int64_t extent = 0;
  // The output buffer: what it held before, with the elements written.
  std::vector<std::byte> output;
  // For each byte of the output buffer, 1 where an element covers it.
  std::vector<unsigned char> covered;
};

Shape model_output_shape(const GatherCase& c);

// `before`: the bytes of the output buffer before the call.
ModelResult run_model(const GatherCase& c, const std::vector<std::byte>& before);

}  // namespace garner_test
