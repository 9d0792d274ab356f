// SPDX-License-Identifier: Apache-2.0
// garner-perf check: every path, body, ISA and thread count against the reference.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "perf/builtin_problems.h"
#include "perf/checker.h"
#include "perf/commands.h"
#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/json_case.h"
#include "perf/onnx_case.h"

namespace garner::perf {
namespace {

struct CheckOptions {
  std::vector<std::string> problems;
  std::string cases;
  std::string onnx;
  bool verbose = false;
};

class CheckCommand {
 public:
  explicit CheckCommand(const CheckOptions& options) : options_(options) {}

  int run() {
    catch_interrupts();
    if (!options_.onnx.empty()) {
      run_onnx();
    } else if (!options_.cases.empty()) {
      read_json_cases(options_.cases, [this](GatherCase&& next) {
        if (!interrupted()) run_case(next);
      });
    } else {
      std::vector<NamedProblem> problems;
      for (const std::string& text : options_.problems) problems.push_back(named_problem("", text));
      const bool built_in = problems.empty();
      if (built_in) problems = check_problems();
      for (const NamedProblem& problem : problems) {
        if (!interrupted()) run_problem(problem);
      }
      if (built_in) {
        for (const NamedProblem& problem : refused_problems()) {
          if (!interrupted()) run_case(make_case(problem), true);
        }
      }
    }
    return report();
  }

 private:
  // A problem is meant to run: one that no path takes, or that memory cannot hold, is neither right nor wrong.
  void run_problem(const NamedProblem& problem) {
    try {
      run_case(make_case(problem));
    } catch (const InputError& error) {
      ++refused_;
      fmt::print("refused {}\n          {}\n", problem.text, error.what());
    } catch (const Interrupted&) {  // the report leaves it out
    }
  }

  // Throws InputError with the library's text when every path refuses a case that says nothing of it.
  bool run_case(const GatherCase& next, bool must_be_refused = false) {
    const Checker::Result result = checker_.check(next);
    std::vector<std::string> faults = result.faults;
    if (must_be_refused && result.refusal.empty()) faults.push_back("must be refused, but a plan was made");
    if (faults.empty() && !result.refusal.empty() && !next.expected && !must_be_refused)
      throw InputError(result.refusal);
    ++cases_;
    if (faults.empty()) {
      if (options_.verbose) fmt::print("passed  {}\n", next.name);
      return true;
    }
    ++wrong_;
    fmt::print("FAILED  {}\n", next.name);
    for (const std::string& fault : faults) fmt::print("          {}\n", fault);
    return false;
  }

  void run_onnx() {
    int passed = 0;
    int failed = 0;
    int others = 0;
    for (const std::string& path : list_onnx_folders(options_.onnx)) {
      if (interrupted()) break;
      const OnnxFolder folder = read_onnx_folder(path);
      if (!folder.problem.empty()) {
        ++unreadable_;
        fmt::print("UNREADABLE  {}\n          {}\n", folder.name, folder.problem);
        continue;
      }
      if (!folder.ours) {
        ++others;
        if (options_.verbose) fmt::print("other   {} ({})\n", folder.name, folder.operator_name);
        continue;
      }
      bool right = true;
      for (const GatherCase& next : folder.cases) right = run_case(next) && right;
      ++(right ? passed : failed);
      if (right) fmt::print("passed  {} ({})\n", folder.name, folder.operator_name);
    }
    fmt::print(
        "{} folders of GatherND and GatherElements passed, {} failed, {} could not be read; {} folders of other "
        "operators{}\n",
        passed, failed, unreadable_, others, options_.verbose || others == 0 ? "" : " (named with --verbose)");
    if (passed + failed + unreadable_ == 0)
      throw InputError(fmt::format("{}: holds no GatherND or GatherElements test", options_.onnx));
  }

  int report() const {
    checker_.print_counts();
    fmt::print("{} cases, {} runs compared with the scalar path on one thread: {} right, {} wrong{}\n", cases_,
               checker_.runs(), cases_ - wrong_, wrong_,
               refused_ == 0 ? "" : fmt::format("; {} more refused", refused_));
    if (wrong_ > 0) return exit_wrong;
    if (interrupted()) return exit_usage;
    return unreadable_ + refused_ > 0 ? exit_usage : exit_fine;
  }

  const CheckOptions& options_;
  Checker checker_;
  int64_t cases_ = 0;
  int64_t wrong_ = 0;
  int refused_ = 0;
  int unreadable_ = 0;
};

}  // namespace

Command add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  auto* problems = app.add_option("problems", options->problems, "problem strings; without any, a built-in list");
  auto* cases = app.add_option("--cases", options->cases, "conformance cases, a file of JSON Lines")
                    ->check(not_empty)
                    ->excludes(problems);
  app.add_option("--onnx", options->onnx, "a folder of ONNX backend tests, or one such test")
      ->check(not_empty)
      ->excludes(problems)
      ->excludes(cases);
  app.add_flag("--verbose", options->verbose, "name every case that passed and every folder of another operator");
  app.footer(
      "Examples:\n"
      "  garner-perf check\n"
      "  garner-perf check gathernd:f32:64x64:i64:1000x2:negative=0.3:bad=0.01\n"
      "  garner-perf check --onnx /usr/share/libonnx-testdata/data/node");
  return [options] { return CheckCommand(*options).run(); };
}

}  // namespace garner::perf
