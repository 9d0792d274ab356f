// SPDX-License-Identifier: Apache-2.0
// No /sys, no /proc, no affinity: what the library asks the system about CPUs fails, as in a bare root folder. It works all the same,
// and the host's errno stays as it was.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <span>

#include "tests/faults/seccomp_filter.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/reference.h"
#include "tests/support/sanitized.h"

using namespace garner_test;

namespace {

constexpr int host_errno = 4321;
constexpr int all_refused[] = {SYS_openat, SYS_sched_getaffinity};
// A sanitizer asks for the attributes of each new thread, its CPUs among them, and insists on an answer.
constexpr std::span<const int> refused = std::span(all_refused).first(sanitized ? 1 : 2);

// What went wrong in the life of a context that uses threads; empty when nothing did.
std::string life(const Problem& problem, const Expected& expected) {
  errno = host_errno;
  const auto changed = [] { return errno != host_errno; };
  garner_context_options options = GARNER_CONTEXT_OPTIONS_INIT;
  garner_context* context = nullptr;
  if (garner_context_create(&options, &context, nullptr) != GARNER_OK) return "no context";
  if (changed()) return "garner_context_create";
  const ContextHandle owner(context);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  garner_plan* created = nullptr;
  if (garner_plan_create(context, &problem.op, &data, &index, nullptr, &created, nullptr) != GARNER_OK)
    return "no plan";
  if (changed()) return "garner_plan_create";
  const PlanHandle plan(created);
  Bytes output(expected.output.size(), 0);
  errno = host_errno;
  garner_args args = arguments(problem, output);
  args.max_threads = 2;
  if (garner_plan_execute(plan.get(), &args, nullptr) != GARNER_OK) return "not executed";
  if (changed()) return "garner_plan_execute";
  return output == expected.output ? "" : "wrong output";
}

}  // namespace

TEST_CASE("errno stays when the system answers no question") {
  if (!filters_work()) GARNER_TEST_SKIP("this system allows no seccomp filter");
  std::vector<int64_t> values(400000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7 % 1000) - 500;
  const Problem problem{gather_nd(), arange<float>({500}), indices({400000, 1}, values)};
  const Expected expected = reference(problem);
  char folder[] = "/tmp/garner-refused-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  // Kernels are to be written to a folder that is fine when the context looks at it.
  for (const char* const variable : {"GARNER_UNUSED", "GARNER_JIT_DUMP", "GARNER_PERF_MAP"}) {
    CAPTURE(variable);
    CHECK(in_child([&]() -> std::string {
            setenv(variable, folder, 1);
            if (!refuse_calls(refused, ENOENT)) return "no filter";
            if (open("/", O_RDONLY) >= 0) return "files can still be opened";
            return life(problem, expected);
          }) == "");
  }
  CHECK(rmdir(folder) == 0);
}
