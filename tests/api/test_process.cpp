// SPDX-License-Identifier: Apache-2.0
// What the system does to a process: executable memory refused, fork.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/routes.h"

using namespace garner_test;

namespace {

#if !defined(PR_SET_MDWE)
constexpr int PR_SET_MDWE = 65;
#endif
constexpr unsigned long refuse_exec_gain = 1;

bool can_refuse_executable_memory() {
  return in_child([] { return prctl(PR_SET_MDWE, refuse_exec_gain, 0, 0, 0) == 0 ? "" : "no"; }).empty();
}

// In a process without executable memory: everything works, without the jit path, and the plan says so.
std::string work_without_jit() {
  if (prctl(PR_SET_MDWE, refuse_exec_gain, 0, 0, 0) != 0) return "prctl failed";
  garner_context* context = nullptr;
  if (garner_context_create(nullptr, &context, nullptr) != GARNER_OK) return "no context";
  SimpleProblem p;
  if (garner_context_prepare(context, &p.op, GARNER_FLOAT32, 0, GARNER_INT64, 2, &p.error) != GARNER_OK) {
    return std::string("prepare: ") + p.error.text;
  }
  const PlanHandle plan = p.plan(context);
  if (!plan) return std::string("no plan: ") + p.error.text;
  Description description = describe(plan.get(), 1);
  if (description["path"] == "jit") return "the plan claims the jit path";
  if (description["not_jit"].empty()) return "the plan does not say why not jit";
  if (description["not_jit"].find("memory") == std::string::npos) return "not the reason: " + description["not_jit"];
  if (garner_plan_execute(plan.get(), &p.args, &p.error) != GARNER_OK) return std::string("execute: ") + p.error.text;
  if (!p.right()) return "wrong values";

  garner_context_options options = context_options();
  options.path = GARNER_PATH_JIT;
  garner_context* forced = nullptr;
  if (garner_context_create(&options, &forced, nullptr) != GARNER_OK) return "no forced context";
  if (p.plan_status(forced) != GARNER_UNSUPPORTED) return "the forced jit path is not refused";
  if (std::strlen(p.error.text) == 0) return "the forced jit path is refused without a text";
  garner_context_destroy(forced);
  garner_context_destroy(context);
  return "";
}

}  // namespace

TEST_CASE("executable memory refused from the start") {
  if (!can_refuse_executable_memory()) GARNER_TEST_SKIP("this kernel has no PR_SET_MDWE (6.3 and later have it)");
  if (!GARNER_HAVE_JIT) GARNER_TEST_SKIP("emitted code is not compiled in");
  CHECK(in_child(work_without_jit) == "");
}

TEST_CASE("executable memory refused after kernels were made") {
  if (!can_refuse_executable_memory()) GARNER_TEST_SKIP("this kernel has no PR_SET_MDWE (6.3 and later have it)");
  if (!GARNER_HAVE_JIT) GARNER_TEST_SKIP("emitted code is not compiled in");
  const ContextHandle context = make_context(context_options());
  SimpleProblem p;
  const PlanHandle plan = p.plan(context.get());
  REQUIRE(plan);
  CHECK(in_child([&]() -> std::string {
          const std::string problem = work_without_jit();
          if (!problem.empty()) return problem;
          // What was emitted before still runs, and a new kernel in the old context is done without.
          if (garner_plan_execute(plan.get(), &p.args, &p.error) != GARNER_OK || !p.right())
            return "the old plan fails";
          SimpleProblem other;
          other.op = with_policy(gather_nd(), GARNER_BOUNDS_CLAMP, GARNER_NEGATIVE_REJECT);
          if (other.execute(context.get()) != GARNER_OK || !other.right())
            return std::string("old context: ") + other.error.text;
          return "";
        }) == "");
}

TEST_CASE("a forked child executes existing plans on one thread") {
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    SimpleProblem p;
    const PlanHandle plan = p.plan(context_for(route));
    if (!plan) continue;
    REQUIRE(garner_plan_execute(plan.get(), &p.args, nullptr) == GARNER_OK);
    CHECK(in_child([&]() -> std::string {
            p.output_values[0] = p.output_values[1] = -1;
            p.args.max_threads = 1;
            if (garner_plan_execute(plan.get(), &p.args, &p.error) != GARNER_OK) return p.error.text;
            return p.right() ? "" : "wrong values";
          }) == "");
  }
}

TEST_CASE("a forked child executes a plan whose threads stayed in the parent") {
  // Large enough that the built-in executor, where there is one, has started its workers in the parent.
  garner_context_options options = context_options();
  options.min_shard_bytes = 0;
  const ContextHandle context = make_context(options);
  SimpleProblem p;
  const PlanHandle plan = p.plan(context.get());
  REQUIRE(plan);
  REQUIRE(garner_plan_execute(plan.get(), &p.args, nullptr) == GARNER_OK);
  CHECK(in_child([&]() -> std::string {
          p.output_values[0] = p.output_values[1] = -1;
          p.args.max_threads = 1;
          if (garner_plan_execute(plan.get(), &p.args, &p.error) != GARNER_OK) return p.error.text;
          return p.right() ? "" : "wrong values";
        }) == "");
}

TEST_CASE("the library prints nothing") {
  // In the child both streams go to a file that must stay empty, through success, failure and misuse.
  CHECK(in_child([]() -> std::string {
          std::FILE* file = std::tmpfile();
          if (file == nullptr) return "no file";
          dup2(fileno(file), 1);
          dup2(fileno(file), 2);
          setenv("GARNER_VERBOSE", "2", 1);
          setenv("GARNER_PATH", "nonsense", 1);
          garner_context* context = nullptr;
          garner_context_create(nullptr, &context, nullptr);
          SimpleProblem p;
          p.execute(context);
          p.index_values[0] = 99;
          p.execute(context);
          p.data.rank = 99;
          p.execute(context);
          garner_execute(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
          garner_context_destroy(context);
          return std::fseek(file, 0, SEEK_END) == 0 && std::ftell(file) == 0 ? "" : "something was printed";
        }) == "");
}
