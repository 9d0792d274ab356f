// SPDX-License-Identifier: Apache-2.0
// Problems over memory that a test laid out itself, on every route.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/run.h"

namespace garner_test {

// A tensor description over memory that the caller owns.
struct View {
  Shape shape;
  std::optional<Shape> strides;
  garner_dtype dtype;
  void* start;
  int64_t bytes;
  int64_t byte_offset = 0;
};

inline garner_tensor tensor_of(const View& view) {
  garner_tensor tensor = GARNER_TENSOR_INIT;
  tensor.dtype = view.dtype;
  tensor.rank = static_cast<int32_t>(view.shape.size());
  tensor.shape = view.shape.data();
  tensor.strides = view.strides ? view.strides->data() : nullptr;
  tensor.byte_offset = view.byte_offset;
  return tensor;
}

inline garner_args arguments(const View& data, const View& index, const View& output) {
  garner_args args = arguments();
  args.data = data.start;
  args.data_bytes = static_cast<size_t>(data.bytes);
  args.indices = index.start;
  args.indices_bytes = static_cast<size_t>(index.bytes);
  args.output = output.start;
  args.output_bytes = static_cast<size_t>(output.bytes);
  return args;
}

// Runs on every route that takes the problem and passes the bytes of the output to verify; returns how many routes ran.
template <class Verify>
int run_routes(const garner_op& op, const View& data, const View& index, const View& output, Verify verify) {
  const garner_tensor data_tensor = tensor_of(data), index_tensor = tensor_of(index), output_tensor = tensor_of(output);
  int ran = 0;
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    garner_plan* created = nullptr;
    const garner_status planned =
        garner_plan_create(context_for(route), &op, &data_tensor, &index_tensor, &output_tensor, &created, nullptr);
    const PlanHandle plan(created);
    if (planned == GARNER_UNSUPPORTED && route.path != GARNER_PATH_AUTO) continue;
    REQUIRE(planned == GARNER_OK);
    if (!deviation(route, describe(plan.get(), 1)).empty()) continue;
    for (int32_t threads : {1, most_threads}) {
      garner_args args = arguments(data, index, output);
      args.max_threads = threads;
      garner_error error = no_error();
      const garner_status status = garner_plan_execute(plan.get(), &args, &error);
      INFO(error.text);
      CHECK(status == GARNER_OK);
      verify();
    }
    ++ran;
  }
  return ran;
}

template <class T>
View view_of(std::vector<T>& values, Shape shape) {
  return {std::move(shape), std::nullopt, dtype_of<T>(), values.data(),
          static_cast<int64_t>(values.size() * sizeof(T))};
}

}  // namespace garner_test
