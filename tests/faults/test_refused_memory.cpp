// SPDX-License-Identifier: Apache-2.0
// Executable memory refused by a seccomp filter, as container runtimes and sandboxes do it: every route that can do without
// gives the same bytes, and the plan says why. (PR_SET_MDWE: tests/api.)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iostream>

#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

// From now on mmap and mprotect with PROT_EXEC fail with `error`.
bool refuse_executable_memory(int error) {
  const auto jump = [](uint32_t value, uint8_t if_true, uint8_t if_false) {
    return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, if_true, if_false, value};
  };
  const auto load = [](size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<uint32_t>(offset)};
  };
  sock_filter filter[] = {
      load(offsetof(seccomp_data, arch)),
      jump(AUDIT_ARCH_X86_64, 0, 7),
      load(offsetof(seccomp_data, nr)),
      jump(SYS_mmap, 2, 0),
      jump(SYS_mprotect, 1, 0),
      jump(SYS_pkey_mprotect, 0, 3),
      load(offsetof(seccomp_data, args[2])),
      {BPF_JMP | BPF_JSET | BPF_K, 0, 1, PROT_EXEC},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  sock_fprog program{sizeof(filter) / sizeof(filter[0]), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool filters_work() {
  return in_child([]() -> std::string {
           if (!refuse_executable_memory(EPERM)) return "no filter";
           void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
           if (page == MAP_FAILED) return "mmap";
           return mprotect(page, 4096, PROT_READ | PROT_EXEC) == -1 && errno == EPERM ? "" : "not refused";
         }) == "";
}

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
