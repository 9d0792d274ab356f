// SPDX-License-Identifier: Apache-2.0
// Micro benchmarks of single calls through the public API. For judging a change use garner-perf, which interleaves
// rivals and ceilings; these are for looking at one kernel under a profiler.
#include <benchmark/benchmark.h>
#include <garner/garner.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

struct Shape {
  std::vector<int64_t> data;
  std::vector<int64_t> indices;
  int32_t kind = GARNER_GATHER_ND_ONNX;
  int64_t batch_dims = 0;
  int64_t axis = 0;
};

int64_t count(const std::vector<int64_t>& shape) {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  return n;
}

garner_tensor describe(garner_dtype dtype, const std::vector<int64_t>& shape) {
  garner_tensor tensor = GARNER_TENSOR_INIT;
  tensor.dtype = dtype;
  tensor.rank = static_cast<int32_t>(shape.size());
  tensor.shape = shape.data();
  return tensor;
}

garner_op operator_of(const Shape& shape) {
  garner_op op = GARNER_OP_INIT;
  op.kind = shape.kind;
  op.batch_dims = shape.batch_dims;
  op.axis = shape.axis;
  return op;
}

// Legal indices without a pattern that hardware could predict.
std::vector<int64_t> make_indices(const Shape& shape) {
  std::vector<int64_t> values(static_cast<size_t>(count(shape.indices)));
  uint64_t state = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool elements = shape.kind == GARNER_GATHER_ELEMENTS_ONNX;
    const size_t axis = elements
                            ? static_cast<size_t>(shape.axis)
                            : static_cast<size_t>(shape.batch_dims) + i % static_cast<size_t>(shape.indices.back());
    state = state * 6364136223846793005u + 1442695040888963407u;
    values[i] = static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(shape.data[axis]));
  }
  return values;
}

void execute(benchmark::State& state, const Shape& shape) {
  const garner_op op = operator_of(shape);
  const garner_tensor data = describe(GARNER_FLOAT32, shape.data);
  const garner_tensor indices = describe(GARNER_INT64, shape.indices);
  int64_t extents[GARNER_MAX_RANK];
  int32_t rank = 0;
  garner_plan* plan = nullptr;
  garner_error error = GARNER_ERROR_INIT;
  if (garner_infer_shape(&op, &data, &indices, extents, GARNER_MAX_RANK, &rank, &error) != GARNER_OK ||
      garner_plan_create(nullptr, &op, &data, &indices, nullptr, &plan, &error) != GARNER_OK) {
    state.SkipWithError(error.text);
    return;
  }
  const std::vector<float> table(static_cast<size_t>(count(shape.data)), 1.0F);
  const std::vector<int64_t> values = make_indices(shape);
  std::vector<float> output(static_cast<size_t>(count({extents, extents + rank})));
  garner_args args = GARNER_ARGS_INIT;
  args.max_threads = 1;
  args.data = table.data();
  args.data_bytes = table.size() * sizeof(float);
  args.indices = values.data();
  args.indices_bytes = values.size() * sizeof(int64_t);
  args.output = output.data();
  args.output_bytes = output.size() * sizeof(float);
  for (auto _ : state) {
    if (garner_plan_execute(plan, &args, nullptr) != GARNER_OK) state.SkipWithError("the call failed");
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(output.size()));
  garner_plan_destroy(plan);
}

void plan_warm(benchmark::State& state, const Shape& shape) {
  const garner_op op = operator_of(shape);
  const garner_tensor data = describe(GARNER_FLOAT32, shape.data);
  const garner_tensor indices = describe(GARNER_INT64, shape.indices);
  for (auto _ : state) {
    garner_plan* plan = nullptr;
    if (garner_plan_create(nullptr, &op, &data, &indices, nullptr, &plan, nullptr) != GARNER_OK)
      state.SkipWithError("no plan");
    garner_plan_destroy(plan);
  }
}

const Shape single_elements{{4096}, {262144, 1}};
const Shape pairs{{64, 64}, {262144, 2}};
const Shape small_table{{16}, {262144, 1}};
const Shape rows_of_16{{8192, 16}, {8192, 1}};
const Shape tiny{{64}, {8, 1}};
const Shape last_axis{{256, 1000}, {256, 1000}, GARNER_GATHER_ELEMENTS_ONNX, 0, 1};
const Shape middle_axis{{4, 900, 256}, {4, 300, 256}, GARNER_GATHER_ELEMENTS_ONNX, 0, 1};
const Shape one_per_batch{{64, 64, 32}, {64, 64, 1, 1}, GARNER_GATHER_ND_ONNX, 2, 0};

BENCHMARK_CAPTURE(execute, single_elements, single_elements);
BENCHMARK_CAPTURE(execute, pairs, pairs);
BENCHMARK_CAPTURE(execute, small_table, small_table);
BENCHMARK_CAPTURE(execute, rows_of_16, rows_of_16);
BENCHMARK_CAPTURE(execute, tiny, tiny);
BENCHMARK_CAPTURE(execute, last_axis, last_axis);
BENCHMARK_CAPTURE(execute, middle_axis, middle_axis);
BENCHMARK_CAPTURE(execute, one_per_batch, one_per_batch);
BENCHMARK_CAPTURE(plan_warm, single_elements, single_elements);

}  // namespace
