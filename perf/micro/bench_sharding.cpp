// SPDX-License-Identifier: Apache-2.0
// What cutting the work costs: an executor that runs the shards one after the other shows the library's own share, oneTBB the
// whole; beside them the call that is not cut.
#include <benchmark/benchmark.h>

#include "perf/micro/problem.h"

namespace garner::micro {
namespace {

garner_executor serial_executor() {
  garner_executor executor = GARNER_EXECUTOR_INIT;
  executor.concurrency = [](void*) -> int32_t { return 4; };
  executor.parallel_for = [](void*, int32_t n, void (*fn)(void*, int32_t), void* arg) {
    for (int32_t i = 0; i < n; ++i) fn(arg, i);
  };
  return executor;
}

// range(0): tuples. Every shard is worth a thread of its own.
void run(benchmark::State& state, int32_t threads, const garner_executor* executor) {
  garner_context_options options = GARNER_CONTEXT_OPTIONS_INIT;
  options.min_shard_bytes = 0;
  options.executor = executor;
  garner_context* context = nullptr;
  if (garner_context_create(&options, &context, nullptr) != GARNER_OK) state.SkipWithError("no context");
  const Problem problem({{4096}, {state.range(0), 1}});
  garner_plan* plan = problem.plan(context);
  Buffers buffers(problem);
  const garner_args args = buffers.arguments(threads);
  for (auto _ : state) {
    if (garner_plan_execute(plan, &args, nullptr) != GARNER_OK) state.SkipWithError("the call failed");
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * problem.output_elements());
  garner_plan_destroy(plan);
  garner_context_destroy(context);
}

void not_cut(benchmark::State& state) { run(state, 1, nullptr); }
BENCHMARK(not_cut)->Range(64, 1 << 18);

void cut_serially(benchmark::State& state) {
  const garner_executor executor = serial_executor();
  run(state, 4, &executor);
}
BENCHMARK(cut_serially)->Range(64, 1 << 18);

void cut_own_threads(benchmark::State& state) { run(state, 2, nullptr); }
BENCHMARK(cut_own_threads)->Range(64, 1 << 18)->UseRealTime();

}  // namespace
}  // namespace garner::micro
