// SPDX-License-Identifier: Apache-2.0
// What a plan costs when its kernel is there, and what the calls around it cost.
#include <benchmark/benchmark.h>

#include "perf/micro/problem.h"

namespace garner::micro {
namespace {

const Shape elements{{4096}, {262144, 1}};
const Shape rows{{1024, 1024}, {1024, 1}};
const Shape deep{{2, 3, 4, 5, 6, 7, 8}, {2, 3, 9, 4}, GARNER_GATHER_ND_ONNX, 2, 0};
const Shape axis{{4, 900, 256}, {4, 300, 256}, GARNER_GATHER_ELEMENTS_ONNX, 0, 1};

void plan_create(benchmark::State& state, const Shape& shape) {
  const Problem problem(shape);
  for (auto _ : state) {
    garner_plan* plan = problem.plan(nullptr);
    if (plan == nullptr) state.SkipWithError("no plan");
    garner_plan_destroy(plan);
  }
}
BENCHMARK_CAPTURE(plan_create, elements, elements);
BENCHMARK_CAPTURE(plan_create, rows, rows);
BENCHMARK_CAPTURE(plan_create, deep, deep);
BENCHMARK_CAPTURE(plan_create, axis, axis);

void plan_describe(benchmark::State& state) {
  const Problem problem(elements);
  garner_plan* plan = problem.plan(nullptr);
  char text[2048];
  for (auto _ : state) {
    if (garner_plan_describe(plan, 1, text, sizeof text, nullptr) != GARNER_OK) state.SkipWithError("no description");
    benchmark::DoNotOptimize(text);
  }
  garner_plan_destroy(plan);
}
BENCHMARK(plan_describe);

void context_create(benchmark::State& state) {
  for (auto _ : state) {
    garner_context* context = nullptr;
    if (garner_context_create(nullptr, &context, nullptr) != GARNER_OK) state.SkipWithError("no context");
    garner_context_destroy(context);
  }
}
BENCHMARK(context_create);

}  // namespace
}  // namespace garner::micro
