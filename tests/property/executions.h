// SPDX-License-Identifier: Apache-2.0
// Executes one case in one way between guard pages, and judges the outcome.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/property/gather_case.h"
#include "tests/property/guarded_buffer.h"
#include "tests/property/model.h"
#include "tests/property/random.h"
#include "tests/support/handles.h"
#include "tests/support/routes.h"

namespace garner_test {

// A route with optional steps switched off or forced on.
struct Variant {
  std::string label;
  Route route;
  ContextHandle context;
};
// Every route that the CPU and GARNER_TEST_ISA allow, the planner's own choice first, and variants of them.
std::vector<Variant> make_variants();
// Whether the CPU has GARNER_ISA_AVX2 or GARNER_ISA_AVX512 and GARNER_TEST_ISA (avx2 or avx512, the only one to run)
// allows it.
bool isa_runs(int32_t isa);

// How often what ran, by the plans' own words.
struct Counters {
  int64_t executions = 0;
  int64_t sharded = 0;
  int64_t out_of_bounds = 0;
  int64_t refused_buffers = 0;
  std::map<std::string, int64_t> by_kernel;  // "loads x32 avx2", "copy avx2", "scalar"
  std::map<std::string, int64_t> by_lanes;   // of the jit path: "folded avx2"
  std::map<std::string, int64_t> by_variant;
  std::string text() const;
};

class Executions {
 public:
  Executions();
  // Runs a case in every way that can take it. Returns what went wrong, one line each; empty when all is well.
  std::vector<std::string> run(const GatherCase& c, Random& random);
  const Counters& counters() const { return counters_; }

 private:
  struct Placement {
    Edge data, indices, output;
    size_t data_gap, index_gap, output_gap;
    std::string text() const;
  };
  Placement next_placement(Random& random);
  garner_args place(const GatherCase& c, const Placement& placement, int32_t threads);
  std::string execute(const GatherCase& c, const ModelResult& expected, const garner_plan* plan,
                      const Placement& placement, int32_t threads);
  std::string refuse_short_buffers(const GatherCase& c, const garner_plan* plan, const Placement& placement);
  std::string judge(const GatherCase& c, const ModelResult& expected, garner_status status,
                    const garner_error& error) const;
  void count(const Variant& variant, const Description& description);

  std::vector<Variant> variants_;
  GuardedBuffer data_;
  GuardedBuffer indices_;
  GuardedBuffer output_;
  std::vector<std::byte> before_;  // what the output buffer holds before a call
  uint64_t placements_ = 0;
  Counters counters_;
};

}  // namespace garner_test
