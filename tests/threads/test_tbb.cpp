// SPDX-License-Identifier: Apache-2.0
// The built-in oneTBB executor.
#include "tests/support/catch.h"
#include "tests/support/reference.h"

#if GARNER_HAVE_TBB
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

using namespace garner_test;

TEST_CASE("the built-in executor runs shards in the caller's arena") {
#if GARNER_HAVE_TBB
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 4);
  std::vector<int64_t> values(200000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7919 % 5000) - 2500;
  const Problem problem{gather_nd(), arange<float>({2500}), indices({200000, 1}, values)};
  const Expected expected = reference(problem);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  for (int32_t path : {GARNER_PATH_AUTO, GARNER_PATH_COPY, GARNER_PATH_SCALAR}) {
    garner_context_options options = context_options();
    options.path = path;
    options.min_shard_bytes = 0;
    const ContextHandle context = make_context(options);
    for (int width : {1, 2, 4}) {
      CAPTURE(path, width);
      tbb::task_arena arena(width);
      Bytes output(expected.output.size());
      garner_status status = GARNER_INTERNAL;
      int64_t threads = 0;
      arena.execute([&] {
        garner_plan* created = nullptr;
        status = garner_plan_create(context.get(), &problem.op, &data, &index, nullptr, &created, nullptr);
        const PlanHandle plan(created);
        if (!plan) return;
        threads = described_number(describe(plan.get(), 0), "threads");
        garner_args args = arguments(problem, output);
        status = garner_plan_execute(plan.get(), &args, nullptr);
      });
      CHECK(status == GARNER_OK);
      CHECK((output == expected.output));
      CHECK(threads >= 1);
      CHECK(threads <= width);
      if (width == 1) CHECK(threads == 1);
    }
  }
#else
  GARNER_TEST_SKIP("oneTBB is not compiled in");
#endif
}

TEST_CASE("bad indices through the built-in executor") {
#if GARNER_HAVE_TBB
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 4);
  garner_context_options options = context_options();
  options.min_shard_bytes = 0;
  const ContextHandle context = make_context(options);
  std::vector<int64_t> values(20000, 1);
  values[19999] = values[7001] = values[7000] = -9;
  const Problem problem{gather_nd(), arange<float>({4}), indices({20000, 1}, values)};
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  std::vector<float> output(20000);
  const garner_args args = arguments(problem, output.data(), output.size() * sizeof(float));
  for (int repeat = 0; repeat < 50; ++repeat) {
    garner_error error = no_error();
    REQUIRE(garner_execute(context.get(), &problem.op, &data, &index, nullptr, &args, &error) == GARNER_OUT_OF_BOUNDS);
    REQUIRE(error.position == 7000);
    REQUIRE(error.value == -9);
  }
#else
  GARNER_TEST_SKIP("oneTBB is not compiled in");
#endif
}
