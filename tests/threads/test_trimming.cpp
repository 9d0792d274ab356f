// SPDX-License-Identifier: Apache-2.0
// Threads create, execute and destroy plans in one context, whose code cache is being trimmed and is too small for them.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

std::vector<Problem> problems() {
  std::vector<int64_t> values(300);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 31 % 40) - 20;
  std::vector<Problem> list;
  for (const int32_t bounds : {GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO}) {
    const garner_op op = with_policy(gather_nd(), bounds);
    list.push_back({op, arange<float>({20}), indices({300, 1}, values)});
    list.push_back({op, arange<double>({20, 3}), indices({300, 1}, values)});
    list.push_back({with_policy(gather_elements(0), bounds), arange<uint16_t>({20, 15}), indices({20, 15}, values)});
    list.push_back({with_policy(gather_elements(1), bounds), arange<float>({100, 20}), indices({100, 3}, values)});
  }
  return list;
}

}  // namespace

TEST_CASE("plans come and go while the code cache is trimmed") {
  const std::vector<Problem> all = problems();
  std::vector<Expected> expected;
  for (const Problem& problem : all) expected.push_back(reference(problem));
  garner_context_options options = options_for({GARNER_PATH_AUTO, 0, 0});
  options.code_cache_bytes = 3 * 4096;
  const ContextHandle context = make_context(options);
  constexpr int workers = 4, rounds = 60;
  std::atomic<int> wrong{0}, done{0}, left{workers};
  std::vector<std::thread> threads;
  for (int t = 0; t < workers; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        const size_t number = static_cast<size_t>(t * 5 + round * 7) % all.size();
        const Problem& problem = all[number];
        const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
        garner_plan* plan = nullptr;
        Bytes output(expected[number].output.size(), 0);
        garner_args args = arguments(problem, output);
        args.max_threads = 1 + round % 3;
        const bool good =
            garner_plan_create(context.get(), &problem.op, &data, &index, nullptr, &plan, nullptr) == GARNER_OK &&
            garner_plan_execute(plan, &args, nullptr) == expected[number].status &&
            (expected[number].status != GARNER_OK || output == expected[number].output);
        garner_plan_destroy(plan);
        if (!good) wrong.fetch_add(1);
        done.fetch_add(1);
      }
      left.fetch_sub(1);
    });
  }
  int64_t trims = 0;
  bool trimmed = true;
  do {
    trimmed = garner_context_trim(context.get(), trims++ % 3 * 4096) == GARNER_OK && trimmed;
    std::this_thread::yield();
  } while (left.load() > 0);
  for (std::thread& thread : threads) thread.join();
  CAPTURE(trims);
  CHECK(trimmed);
  CHECK(wrong == 0);
  CHECK(done == workers * rounds);
}
