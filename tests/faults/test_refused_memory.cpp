// SPDX-License-Identifier: Apache-2.0
// Executable memory refused by a seccomp filter, as container runtimes and sandboxes do it: every route that can do without
// gives the same bytes, and the plan says why. (PR_SET_MDWE: tests/api.)
#include <cerrno>
#include <iostream>

#include "tests/faults/seccomp_filter.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

// Everything of the problem on the route; empty when it went as it must. `ran` counts the routes that gave an output.
std::string work(const Route& route, const Problem& problem, const Expected& expected, int& ran) {
  garner_context_options options = options_for(route);
  options.executor = nullptr;
  options.threads = 1;
  garner_context* context = nullptr;
  if (garner_context_create(&options, &context, nullptr) != GARNER_OK) return "no context";
  const ContextHandle owner(context);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  if (garner_context_prepare(context, &problem.op, problem.data.dtype, 0, GARNER_INT64, 1, nullptr) != GARNER_OK &&
      route.path != GARNER_PATH_JIT) {
    return "prepare";
  }
  garner_plan* created = nullptr;
  garner_error error = no_error();
  const garner_status status = garner_plan_create(context, &problem.op, &data, &index, nullptr, &created, &error);
  const PlanHandle plan(created);
  if (route.path == GARNER_PATH_JIT) {
    return status == GARNER_UNSUPPORTED ? "" : std::string("a forced jit path gave ") + garner_status_name(status);
  }
  if (status != GARNER_OK) return std::string("plan: ") + error.text;
  const Description description = describe(plan.get(), 1);
  if (description.at("path") == "jit") return "the plan claims the jit path";
  if (route.path == GARNER_PATH_AUTO && description.at("not_jit").find("memory") == std::string::npos)
    return "not the reason: " + description.at("not_jit");
  Bytes output(expected.output.size(), 0);
  garner_args args = arguments(problem, output);
  if (garner_plan_execute(plan.get(), &args, &error) != GARNER_OK) return std::string("execute: ") + error.text;
  ++ran;
  return output == expected.output ? "" : "wrong output";
}

}  // namespace

TEST_CASE("executable memory refused by a seccomp filter") {
  if (!GARNER_HAVE_JIT) GARNER_TEST_SKIP("emitted code is not compiled in");
  if (routes().size() < 5) GARNER_TEST_SKIP("this CPU has no AVX2: nothing would be emitted anyway");
  if (!filters_work()) GARNER_TEST_SKIP("this system allows no seccomp filter");
  std::vector<int64_t> values(200);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7 % 20) - 10;
  const std::vector<Problem> problems = {{gather_nd(), arange<float>({30}), indices({200, 1}, values)},
                                         {gather_elements(0), arange<double>({20, 10}), indices({20, 10}, values)}};
  for (const int refusal : {EPERM, EACCES}) {
    for (const Problem& problem : problems) {
      const Expected expected = reference(problem);
      CHECK(in_child([&]() -> std::string {
              if (!refuse_executable_memory(refusal)) return "no filter";
              int ran = 0;
              for (const Route& route : routes()) {
                const std::string wrong = work(route, problem, expected, ran);
                if (!wrong.empty()) return name(route) + ": " + wrong;
              }
              return ran >= 3 ? "" : "only " + std::to_string(ran) + " routes ran";
            }) == "");
    }
  }
  std::cout << "refused on " << routes().size() << " routes, " << problems.size() << " problems, 2 errors" << std::endl;
}
