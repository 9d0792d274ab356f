// SPDX-License-Identifier: Apache-2.0
// A good call, of which a test spoils one thing.
#pragma once

#include <cstdint>

#include "tests/support/handles.h"

namespace garner_test {

// data 3x4 float32 = 0..11, indices 2x2 int64 = (0,1), (2,3), output 2 = 1, 11.
struct SimpleProblem {
  int64_t data_shape[2] = {3, 4};
  int64_t index_shape[2] = {2, 2};
  int64_t output_shape[1] = {2};
  float data_values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t index_values[4] = {0, 1, 2, 3};
  float output_values[2] = {-1, -1};
  garner_op op = gather_nd();
  garner_tensor data = GARNER_TENSOR_INIT;
  garner_tensor indices = GARNER_TENSOR_INIT;
  garner_tensor output = GARNER_TENSOR_INIT;
  garner_args args = GARNER_ARGS_INIT;
  garner_error error = GARNER_ERROR_INIT;

  SimpleProblem() {
    data.dtype = GARNER_FLOAT32;
    data.rank = 2;
    data.shape = data_shape;
    indices.dtype = GARNER_INT64;
    indices.rank = 2;
    indices.shape = index_shape;
    output.dtype = GARNER_FLOAT32;
    output.rank = 1;
    output.shape = output_shape;
    args.data = data_values;
    args.data_bytes = sizeof(data_values);
    args.indices = index_values;
    args.indices_bytes = sizeof(index_values);
    args.output = output_values;
    args.output_bytes = sizeof(output_values);
  }
  SimpleProblem(const SimpleProblem&) = delete;
  SimpleProblem& operator=(const SimpleProblem&) = delete;

  garner_status plan_status(garner_context* context = nullptr) {
    garner_plan* plan = nullptr;
    const garner_status status = garner_plan_create(context, &op, &data, &indices, &output, &plan, &error);
    garner_plan_destroy(plan);
    return status;
  }
  PlanHandle plan(garner_context* context = nullptr) {
    garner_plan* plan = nullptr;
    garner_plan_create(context, &op, &data, &indices, &output, &plan, &error);
    return PlanHandle(plan);
  }
  garner_status execute(garner_context* context = nullptr) {
    return garner_execute(context, &op, &data, &indices, &output, &args, &error);
  }
  bool right() const { return output_values[0] == 1 && output_values[1] == 11; }
  bool untouched() const { return output_values[0] == -1 && output_values[1] == -1; }
};

}  // namespace garner_test
