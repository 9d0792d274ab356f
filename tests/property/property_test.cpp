// SPDX-License-Identifier: Apache-2.0
// Random problems on every path, body, ISA and thread count against the model.
//   GARNER_TEST_SEED  seed of the first problem; the following ones count up from it
//   GARNER_TEST_RUNS  number of problems
//   GARNER_TEST_LONG  1: many more problems by default
//   GARNER_TEST_ISA   avx2 or avx512: the only ISA to run
#include <iostream>

#include "tests/property/case_generator.h"
#include "tests/property/executions.h"
#include "tests/property/random.h"
#include "tests/support/catch.h"

namespace garner_test {
namespace {

constexpr int64_t default_problems = 2000;
constexpr int64_t long_problems = 200000;
// From here on every kind of kernel must have had its turn.
constexpr int64_t enough_problems = 1000;
constexpr size_t most_failures = 5;

std::string replay(uint64_t seed) {
  return "GARNER_TEST_SEED=" + std::to_string(seed) + " GARNER_TEST_RUNS=1 ./garner_test_property \"random problems\"";
}

void require_everything_ran(const Counters& counters) {
  const auto require_ran = [&counters](const std::string& kernel) {
    INFO("kernel " << kernel << " never ran");
    const auto found = counters.by_kernel.find(kernel);
    CHECK(found != counters.by_kernel.end());
  };
  require_ran("scalar");
  require_ran("copy scalar");
  for (const int32_t isa : {GARNER_ISA_AVX2, GARNER_ISA_AVX512}) {
    const std::string name = isa == GARNER_ISA_AVX2 ? "avx2" : "avx512";
    if (!isa_runs(isa)) {
      WARN("NOT RUN: " << name << " kernels, the CPU lacks it or GARNER_TEST_ISA leaves it out");
      continue;
    }
    require_ran("copy " + name);
#if GARNER_HAVE_JIT
    for (const char* width : {"x8", "x16", "x32", "x64", "x128"})
      require_ran(std::string("loads ") + width + " " + name);
    for (const char* width : {"x32", "x64"}) require_ran(std::string("hardware ") + width + " " + name);
    require_ran("table x32 " + name);
    for (const char* lanes : {"flat", "unit", "step", "folded", "strided", "rows"}) {
      INFO("lane form " << lanes << " never ran");
      CHECK(counters.by_lanes.count(std::string(lanes) + " " + name) == 1);
    }
#endif
  }
  CHECK(counters.sharded > counters.executions / 20);
  CHECK(counters.out_of_bounds > 0);
  CHECK(counters.refused_buffers > 0);
}

TEST_CASE("random problems") {
  const uint64_t first_seed = test_seed();
  const int64_t problems = test_runs(long_test() ? long_problems : default_problems);
  std::cout << "seed " << first_seed << ", " << problems << " problems" << std::endl;
  Executions executions;
  size_t failed = 0;
  for (int64_t i = 0; i < problems && failed < most_failures; ++i) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    Random random(seed);
    const GatherCase c = random_case(random);
    const std::string problem = replay(seed) + "\n" + describe(c);
    INFO(problem);  // shown when a guard page ends the program as well
    const std::vector<std::string> failures = executions.run(c, random);
    if (failures.empty()) continue;
    ++failed;
    std::string text;
    for (const std::string& failure : failures) text += "\n  " + failure;
    FAIL_CHECK(failures.size() << " ways went wrong:" << text);
  }
  std::cout << executions.counters().text() << std::endl;
  if (problems >= enough_problems && failed == 0) require_everything_ran(executions.counters());
}

}  // namespace
}  // namespace garner_test
