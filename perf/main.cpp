// SPDX-License-Identifier: Apache-2.0
// garner-perf: measures, checks, runs and explains gathers through the C API of garner.
#include <fmt/format.h>
#include <garner/garner.h>

#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "perf/commands.h"
#include "perf/input_error.h"

int main(int argc, char** argv) {
  using namespace garner::perf;
  CLI::App app(
      "Measures, checks, runs and explains gather operators. Exit codes: 0 all fine, 1 a result was wrong or an "
      "expectation was not met, 2 usage or unusable input, 130 interrupted.");
  app.name("garner-perf");
  app.set_version_flag("--version", garner_version());
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
  add("info", "show CPU, caches, calibration, kernels and build", add_info);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_fine : exit_usage;
  }
  try {
    for (const Entry& entry : entries) {
      if (entry.app->parsed()) return entry.command();
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "garner-perf: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "garner-perf: there is not enough memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "garner-perf: {}\n", error.what());
  }
  return exit_usage;
}
