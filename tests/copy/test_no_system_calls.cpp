// SPDX-License-Identifier: Apache-2.0
// Execution on one thread never enters the kernel: calls run in a child process in which the first system call kills.
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/copy/prepared_calls.h"
#include "tests/support/catch.h"

#if defined(__SANITIZE_THREAD__)
#define GARNER_TEST_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GARNER_TEST_HAS_TSAN 1
#endif
#endif

using namespace garner_test;

namespace {

enum class Ending { well, wrong, killed, no_seccomp, strange };

constexpr int wrong_code = 1, no_seccomp_code = 2;

// Runs work() in a child in strict mode, which allows reading, writing and leaving. work says whether all went well.
template <class Work>
Ending run_in_strict_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) syscall(SYS_exit, no_seccomp_code);
    const bool well = work();
    syscall(SYS_exit, well ? 0 : wrong_code);  // _exit() would be another call, exit_group
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return Ending::strange;
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGKILL ? Ending::killed : Ending::strange;
  switch (WEXITSTATUS(status)) {
    case 0: return Ending::well;
    case wrong_code: return Ending::wrong;
    case no_seccomp_code: return Ending::no_seccomp;
    default: return Ending::strange;
  }
}

// NULL: a system call ends a child, and nothing else does.
const char* why_not_here() {
#if defined(GARNER_TEST_HAS_TSAN)
  return "ThreadSanitizer makes system calls of its own";
#else
  const Ending nothing = run_in_strict_child([] { return true; });
  if (nothing == Ending::no_seccomp) return "the system has no seccomp";
  return nothing == Ending::well ? nullptr : "a child that does nothing does not end well";
#endif
}

}  // namespace

TEST_CASE("a system call in strict mode does not go unnoticed") {
  if (const char* const why = why_not_here()) GARNER_TEST_SKIP(why);
  CHECK(run_in_strict_child([] { return syscall(SYS_getpid) > 0; }) == Ending::killed);
  CHECK(run_in_strict_child([] { return sched_yield() == 0; }) == Ending::killed);
  CHECK(run_in_strict_child([] { return false; }) == Ending::wrong);
}

TEST_CASE("execution makes no system call") {
  if (const char* const why = why_not_here()) GARNER_TEST_SKIP(why);
  for (const Setup& setup : setups()) {
    INFO(setup.name);
    const ContextHandle context = make_context(setup.options);
    PreparedCalls calls(context.get());
    if (setup.options.path != GARNER_PATH_JIT) CHECK(calls.size() == given_calls().size());
    CHECK(calls.size() > 0);
    // The first execution as well: nothing waits to be set up by then.
    CHECK(run_in_strict_child([&calls] { return calls.execute() < 0; }) == Ending::well);
    CHECK(run_in_strict_child([&calls] { return calls.execute_in_one_call() < 0; }) == Ending::well);
  }
}
