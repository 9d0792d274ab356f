// SPDX-License-Identifier: Apache-2.0
// garner-perf: measures, checks, runs and explains gathers through the C API of garner.
#include <fcntl.h>
#include <fmt/format.h>
#include <garner/garner.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "perf/commands.h"
#include "perf/input_error.h"
#include "perf/interrupt.h"

namespace {

using namespace garner::perf;

// A file opened later must not get the number of a standard stream that was closed. False when that is the output.
bool open_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is a failed write like any other,
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that reaches the limit of its size
  const bool output = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest free number: this one
  }
  return output;
}

int run_command(int argc, char** argv) {
  CLI::App app(
      "Measures, checks, runs and explains gather operators. Exit codes: 0 all fine, 1 a result was wrong or an "
      "expectation was not met, 2 usage, unusable input or an interrupt.");
  app.name("garner-perf");
  app.set_version_flag("--version", garner_version());
  app.footer(
      "A problem is a string, OP:dtype:data shape:index dtype:indices shape, and key=value parts after it:\n"
      "  garner-perf bench                                            a built-in set of real workloads\n"
      "  garner-perf bench --baseline loop gathernd:f32:64x64:i64:262144x2\n"
      "  garner-perf check gatherelements:f16:1x8400x80:i64:1x300x80:axis=1:negative=0.25\n"
      "  garner-perf explain gathernd@openvino-5:f32:30x2x100x35:i32:30x2x3x1:batch_dims=2\n"
      "`garner-perf COMMAND --help` lists the options of a command, with examples.");
  app.require_subcommand(1);
  struct Entry {
    CLI::App* app;
    Command command;
  };
  std::vector<Entry> entries;
  const auto add = [&](const char* name, const char* description, Command (*make)(CLI::App&)) {
    CLI::App* sub = app.add_subcommand(name, description);
    entries.push_back({sub, make(*sub)});
  };
  add("bench", "measure problems beside the ceilings of the machine", add_bench);
  add("check", "compare every path, body, ISA and thread count with the reference", add_check);
  add("run", "apply an operator to .npy arrays", add_run);
  add("explain", "show the plan of a problem: path, kernel, and why not the others", add_explain);
  add("compare", "compare two runs of bench, each in units of its own ceilings", add_compare);
  add("ab", "compare two shared libraries, interleaved in one process", add_ab);
  add("info", "show CPU, caches, calibration, kernels and build", add_info);
  if (argc < 2 || argv[1][0] != '-') {
    std::string names;
    bool known = false;
    for (const Entry& entry : entries) {
      names += (names.empty() ? "" : ", ") + entry.app->get_name();
      known = known || (argc >= 2 && entry.app->get_name() == argv[1]);
    }
    if (!known) {
      const std::string what = argc < 2 ? "a command is missing" : fmt::format("unknown command '{}'", argv[1]);
      fmt::print(stderr, "garner-perf: {}; one of {} (--help says more)\n", what, names);
      return exit_usage;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_fine : exit_usage;
  }
  for (const Entry& entry : entries) {
    if (entry.app->parsed()) return entry.command();
  }
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  if (!open_standard_streams()) {
    fmt::print(stderr, "garner-perf: standard output is closed\n");
    return exit_usage;
  }
  int code = exit_usage;
  try {
    code = run_command(argc, argv);
  } catch (const Interrupted&) {
    fmt::print(stderr, "garner-perf: interrupted before there was a result\n");
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "garner-perf: out of memory beside the tensors, whose memory was asked for before\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "garner-perf: {}\n", error.what());
  }
  std::cout.flush();  // the help is printed there
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    fmt::print(stderr, "garner-perf: standard output could not be written; what it should hold is not complete\n");
    return exit_usage;
  }
  return code;
}
