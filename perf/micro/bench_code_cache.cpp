// SPDX-License-Identifier: Apache-2.0
// The cache of emitted code: a miss that emits, a hit among many, and threads that ask at once.
#include <benchmark/benchmark.h>

#include <deque>

#include "perf/micro/problem.h"

namespace garner::micro {
namespace {

// Problems that need kernels of their own: every depth and width.
const std::deque<Problem>& various() {
  static const std::deque<Problem> problems = [] {
    std::deque<Problem> list;
    for (const garner_dtype dtype : {GARNER_UINT8, GARNER_FLOAT16, GARNER_FLOAT32, GARNER_FLOAT64, GARNER_COMPLEX128}) {
      for (size_t k = 1; k <= 4; ++k) {
        list.emplace_back(
            Shape{std::vector<int64_t>(k, 40), {999, static_cast<int64_t>(k)}, GARNER_GATHER_ND_ONNX, 0, 0, dtype});
      }
    }
    return list;
  }();
  return problems;
}

void plan_all(benchmark::State& state, garner_context* context) {
  for (const Problem& problem : various()) {
    garner_plan* plan = problem.plan(context);
    if (plan == nullptr) state.SkipWithError("no plan");
    garner_plan_destroy(plan);
  }
  state.SetItemsProcessed(state.items_processed() + static_cast<int64_t>(various().size()));
}

void hits(benchmark::State& state) {  // of all threads on the default context
  for (auto _ : state) plan_all(state, nullptr);
}
BENCHMARK(hits)->ThreadRange(1, 4)->UseRealTime();

void misses(benchmark::State& state) {
  garner_context* context = nullptr;
  if (garner_context_create(nullptr, &context, nullptr) != GARNER_OK) state.SkipWithError("no context");
  plan_all(state, context);  // calibrates
  for (auto _ : state) {
    garner_context_trim(context, 0);
    plan_all(state, context);
  }
  garner_context_destroy(context);
}
BENCHMARK(misses);

}  // namespace
}  // namespace garner::micro
