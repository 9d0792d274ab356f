// SPDX-License-Identifier: Apache-2.0
// One call on one thread, for common kinds of kernels.
#include <benchmark/benchmark.h>

#include "perf/micro/problem.h"

namespace garner::micro {
namespace {

void execute(benchmark::State& state, const Shape& shape) {
  const Problem problem(shape);
  garner_error error = GARNER_ERROR_INIT;
  garner_plan* plan = problem.plan(nullptr, &error);
  if (plan == nullptr) {
    state.SkipWithError(error.text);
    return;
  }
  Buffers buffers(problem);
  const garner_args args = buffers.arguments(1);
  for (auto _ : state) {
    if (garner_plan_execute(plan, &args, nullptr) != GARNER_OK) state.SkipWithError("the call failed");
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * problem.output_elements());
  garner_plan_destroy(plan);
}

const Shape single_elements{{4096}, {262144, 1}};
const Shape bytes{{4096}, {262144, 1}, GARNER_GATHER_ND_ONNX, 0, 0, GARNER_UINT8};
const Shape doubles{{2048}, {262144, 1}, GARNER_GATHER_ND_ONNX, 0, 0, GARNER_FLOAT64};
const Shape pairs{{64, 64}, {262144, 2}};
const Shape triples{{16, 16, 16}, {262144, 3}};
const Shape small_table{{16}, {262144, 1}};
const Shape rows_of_16{{8192, 16}, {8192, 1}};
const Shape rows_of_1024{{1024, 1024}, {1024, 1}};
const Shape tiny{{64}, {8, 1}};
const Shape last_axis{{256, 1000}, {256, 1000}, GARNER_GATHER_ELEMENTS_ONNX, 0, 1};
const Shape middle_axis{{4, 900, 256}, {4, 300, 256}, GARNER_GATHER_ELEMENTS_ONNX, 0, 1};
const Shape one_per_batch{{64, 64, 32}, {64, 64, 1, 1}, GARNER_GATHER_ND_ONNX, 2, 0};

BENCHMARK_CAPTURE(execute, single_elements, single_elements);
BENCHMARK_CAPTURE(execute, bytes, bytes);
BENCHMARK_CAPTURE(execute, doubles, doubles);
BENCHMARK_CAPTURE(execute, pairs, pairs);
BENCHMARK_CAPTURE(execute, triples, triples);
BENCHMARK_CAPTURE(execute, small_table, small_table);
BENCHMARK_CAPTURE(execute, rows_of_16, rows_of_16);
BENCHMARK_CAPTURE(execute, rows_of_1024, rows_of_1024);
BENCHMARK_CAPTURE(execute, tiny, tiny);
BENCHMARK_CAPTURE(execute, last_axis, last_axis);
BENCHMARK_CAPTURE(execute, middle_axis, middle_axis);
BENCHMARK_CAPTURE(execute, one_per_batch, one_per_batch);

}  // namespace
}  // namespace garner::micro
