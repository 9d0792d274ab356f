// SPDX-License-Identifier: Apache-2.0
#include "perf/ab.h"

#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

TEST_CASE("A change is one whose whole interval lies beyond the threshold") {
  CHECK(judge({1.00, 0.98, 1.02, 40}, 0.01) == Change::none);
  CHECK(judge({1.05, 1.005, 1.09, 40}, 0.01) == Change::none);
  CHECK(judge({1.05, 1.02, 1.09, 40}, 0.01) == Change::slower);
  CHECK(judge({0.95, 0.92, 0.98, 40}, 0.01) == Change::faster);
  CHECK(judge({0.98, 0.95, 0.995, 40}, 0.01) == Change::none);
  CHECK(judge({}, 0.01) == Change::none);
}

// Calls through a table of functions like any loaded library's; but one byte of every output is wrong.
garner_status execute_wrongly(const garner_plan* plan, const garner_args* args, garner_error* error) noexcept {
  const garner_status status = garner_plan_execute(plan, args, error);
  static_cast<std::byte*>(args->output)[8] = std::byte{0};
  return status;
}

TEST_CASE("Both sides are checked against the reference, and run the plans they name") {
  Library wrong = own_library();
  wrong.plan_execute = execute_wrongly;
  AbOptions options;
  options.seconds = 0.02;
  DataPool pool(Pages::normal);
  ThreadTeam team(1, 0);
  const NamedProblem problem = named_problem("", "gathernd:i32:4096:i64:3000x1");
  const AbResult result = measure_ab(problem, own_library(), wrong, options, pool, team);
  CHECK(result.base.difference.empty());
  CHECK(holds(result.changed.difference, "output[2] (element 2 of 3000)"));
  CHECK(result.base.kernel == result.changed.kernel);
  CHECK(!result.base.path.empty());
  CHECK(result.ratio.rounds > 0);
  CHECK(result.base.p50_ns > 0);
  CHECK(result.complete);
}

TEST_CASE("What is no garner library is named") {
  CHECK(holds(refusal([] { load_library("no-such-file.so"); }), "no-such-file.so: No such file"));
  CHECK(holds(refusal([] { load_library("/etc/hostname"); }), "cannot be loaded"));
  CHECK(holds(refusal([] { load_library("/lib/x86_64-linux-gnu/libm.so.6"); }),
              "is no garner library: it has no garner_version"));
}

}  // namespace
}  // namespace garner::perf
