// SPDX-License-Identifier: Apache-2.0
#include "tests/support/child.h"

#include <sys/wait.h>
#include <unistd.h>

namespace garner_test {

std::string in_child(const std::function<std::string()>& run) {
  int ends[2];
  if (pipe(ends) != 0) return "pipe failed";
  const pid_t child = fork();
  if (child < 0) return "fork failed";
  if (child == 0) {
    alarm(240);
    std::string text = run();
    const ssize_t written = text.empty() ? 0 : write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t got; (got = read(ends[0], part, sizeof(part))) > 0;) text.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit code " + std::to_string(WEXITSTATUS(status)) + " " + text;
  return text;
}

}  // namespace garner_test
