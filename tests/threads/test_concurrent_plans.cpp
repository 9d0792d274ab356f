// SPDX-License-Identifier: Apache-2.0
// Plans shared by threads, and threads that make plans in one context at the same time.
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

// Runs work(thread number) on all threads, started together.
template <class Work>
void on_threads(int count, Work work) {
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      while (!go.load()) std::this_thread::yield();
      work(t);
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
}

// Small enough a table for the registers of every ISA.
Problem some_problem() {
  std::vector<int64_t> values(1500);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 31 % 64) - 32;
  return {gather_nd(), arange<float>({32}), indices({1500, 1}, values)};
}

}  // namespace

TEST_CASE("many threads execute one plan") {
  const Problem problem = some_problem();
  const Expected expected = reference(problem);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    garner_plan* created = nullptr;
    REQUIRE(garner_plan_create(context_for(route), &problem.op, &data, &index, nullptr, &created, nullptr) ==
            GARNER_OK);
    const PlanHandle plan(created);
    std::atomic<int> wrong{0};
    on_threads(8, [&](int t) {
      Bytes output(expected.output.size());
      for (int repeat = 0; repeat < 10; ++repeat) {
        std::fill(output.begin(), output.end(), uint8_t{0});
        garner_args args = arguments(problem, output);
        args.max_threads = t % 2 == 0 ? 1 : 3;
        if (garner_plan_execute(plan.get(), &args, nullptr) != GARNER_OK || output != expected.output)
          wrong.fetch_add(1);
      }
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("errors of threads that fail at once do not mix") {
  const Tensor table = arange<float>({64});
  std::atomic<int> wrong{0};
  garner_context* const context = context_for({GARNER_PATH_AUTO, 0, 0});
  on_threads(8, [&](int t) {
    std::vector<int64_t> values(100, 1);
    values[static_cast<size_t>(t * 10)] = 1000 + t;
    const Tensor index = indices({100, 1}, values);
    const garner_op op = gather_nd();
    const garner_tensor data = table.descriptor(), index_tensor = index.descriptor();
    std::vector<float> output(100);
    garner_args args = arguments();
    args.max_threads = 1;
    args.data = table.bytes.data();
    args.data_bytes = table.bytes.size();
    args.indices = index.bytes.data();
    args.indices_bytes = index.bytes.size();
    args.output = output.data();
    args.output_bytes = output.size() * sizeof(float);
    for (int repeat = 0; repeat < 50; ++repeat) {
      garner_error error = no_error();
      const garner_status status = garner_execute(context, &op, &data, &index_tensor, nullptr, &args, &error);
      const bool right = status == GARNER_OUT_OF_BOUNDS && error.position == t * 10 && error.value == 1000 + t &&
                         std::string(error.text).find(" = " + std::to_string(1000 + t) + " ") != std::string::npos;
      if (!right) wrong.fetch_add(1);
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads make plans in one new context and share its code") {
  // All kernels are new to each context, so that threads race to emit the same ones; the cache is small in every second
  // round, so that they are dropped and emitted again.
  for (int round = 0; round < 6; ++round) {
    garner_context_options options = context_options();
    options.code_cache_bytes = round % 2 == 0 ? 0 : 6000;
    const ContextHandle context = make_context(options);
    std::atomic<int> wrong{0};
    on_threads(6, [&](int t) {
      const garner_op ops[] = {gather_nd(), with_policy(gather_nd(), GARNER_BOUNDS_CLAMP),
                               with_policy(gather_nd(), GARNER_BOUNDS_ZERO),
                               with_policy(gather_nd(), GARNER_BOUNDS_ZERO, GARNER_NEGATIVE_REJECT)};
      const garner_dtype dtypes[] = {GARNER_UINT8, GARNER_INT16, GARNER_FLOAT32, GARNER_FLOAT64};
      const std::vector<int32_t> values = {3, 1, 0, 2, 2, 1, 3, 0, 1};
      const Tensor index = dense<int32_t>({9, 1}, values);
      const garner_tensor index_tensor = index.descriptor();
      for (size_t turn = 0; turn < 16; ++turn) {
        const size_t kind = (turn + static_cast<size_t>(t)) % 16;
        const Tensor table = patterned(dtypes[kind / 4], 0, {4});
        const garner_tensor data = table.descriptor();
        garner_plan* created = nullptr;
        const garner_status status =
            garner_plan_create(context.get(), &ops[kind % 4], &data, &index_tensor, nullptr, &created, nullptr);
        const PlanHandle plan(created);
        if (status != GARNER_OK) {
          wrong.fetch_add(1);
          continue;
        }
        if (turn % 5 == 4) garner_context_trim(context.get(), 0);
        const size_t width = static_cast<size_t>(table.width());
        Bytes output(9 * width);
        garner_args args = arguments();
        args.max_threads = 1;
        args.data = table.bytes.data();
        args.data_bytes = table.bytes.size();
        args.indices = index.bytes.data();
        args.indices_bytes = index.bytes.size();
        args.output = output.data();
        args.output_bytes = output.size();
        if (garner_plan_execute(plan.get(), &args, nullptr) != GARNER_OK) wrong.fetch_add(1);
        for (size_t i = 0; i < 9; ++i) {
          const size_t from = static_cast<size_t>(values[i]) * width;
          if (!std::equal(output.begin() + static_cast<std::ptrdiff_t>(i * width),
                          output.begin() + static_cast<std::ptrdiff_t>((i + 1) * width),
                          table.bytes.begin() + static_cast<std::ptrdiff_t>(from))) {
            wrong.fetch_add(1);
          }
        }
      }
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("threads meet the default context for the first time together") {
  const Problem problem = some_problem();
  const Expected expected = reference(problem);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  std::atomic<int> wrong{0};
  on_threads(8, [&](int) {
    Bytes output(expected.output.size());
    garner_args args = arguments(problem, output);
    args.max_threads = 1;
    if (garner_execute(nullptr, &problem.op, &data, &index, nullptr, &args, nullptr) != GARNER_OK) wrong.fetch_add(1);
    if (output != expected.output) wrong.fetch_add(1);
  });
  CHECK(wrong == 0);
}

TEST_CASE("plans outlive their context in other threads") {
  const Problem problem = some_problem();
  const Expected expected = reference(problem);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  ContextHandle context = make_context(context_options());
  std::vector<PlanHandle> plans;
  for (int t = 0; t < 6; ++t) {
    garner_plan* created = nullptr;
    REQUIRE(garner_plan_create(context.get(), &problem.op, &data, &index, nullptr, &created, nullptr) == GARNER_OK);
    plans.emplace_back(created);
  }
  std::atomic<int> wrong{0};
  on_threads(7, [&](int t) {
    if (t == 6) {
      context.reset();
      return;
    }
    PlanHandle plan = std::move(plans[static_cast<size_t>(t)]);
    Bytes output(expected.output.size());
    garner_args args = arguments(problem, output);
    args.max_threads = 1;
    if (garner_plan_execute(plan.get(), &args, nullptr) != GARNER_OK || output != expected.output) wrong.fetch_add(1);
  });
  CHECK(wrong == 0);
}
