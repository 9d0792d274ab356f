// SPDX-License-Identifier: Apache-2.0
// garner-perf explain: the plan of a problem in words.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "perf/commands.h"
#include "perf/environment.h"
#include "perf/gather_case.h"
#include "perf/input_error.h"
#include "perf/memory.h"
#include "perf/runner.h"

namespace garner::perf {
namespace {

struct ExplainOptions {
  std::vector<std::string> problems;
  std::string path;
  std::string body;
  std::string isa;
  int32_t threads = 0;
  bool raw = false;
};

void print_line(const char* key, const std::string& text) {
  if (!text.empty()) fmt::print("  {:<12}{}\n", key, text);
}

void print_facts(const PlanFacts& facts) {
  const std::string body = facts.get("body");
  print_line("path", facts.get("path") + (body.empty() ? "" : ", body " + body) + ", ISA " + facts.get("isa"));
  print_line("kernel", facts.get("kernel"));
  print_line("why", facts.get("reason"));
  for (const char* path : {"jit", "copy", "scalar"})
    print_line(fmt::format("not {}", path).c_str(), facts.get(fmt::format("not_{}", path)));
  if (!facts.get("stores").empty()) {
    const int64_t ahead = facts.number("prefetch");
    print_line("stores", facts.get("stores") + (ahead > 0 ? fmt::format(", prefetching {} slices ahead", ahead) : ""));
  }
  print_line("shards", fmt::format("{} on {} thread(s)", facts.get("shards"), facts.get("threads")));
  print_line("output", facts.get("output_shape"));
  const auto bytes = [&facts](const char* key) { return bytes_text(static_cast<double>(facts.number(key))); };
  print_line("work", fmt::format("{} tuples, each copies {}{}", facts.number("tuples"), bytes("slice_bytes"),
                                 facts.number("slice_runs") > 1
                                     ? fmt::format(" in {} runs of {}", facts.number("slice_runs"), bytes("run_bytes"))
                                     : ""));
  print_line("bytes", fmt::format("data {}, indices {}, output {}", bytes("data_bytes"), bytes("index_bytes"),
                                  bytes("output_bytes")));
  print_line("dims", facts.get("dims"));
  print_line("coords", facts.get("coords"));
  print_line("slice", facts.get("slice"));
}

struct Planned {
  PlanFacts facts;
  std::string refusal;  // the library's own text

  bool operator!=(const Planned& other) const { return facts.text() != other.facts.text() || refusal != other.refusal; }
};

// Plans without running.
Planned plan_of(const Problem& problem, const Choice& choice, int32_t threads) {
  ProblemTensors tensors;
  try {
    tensors = tensors_of(problem, false);
  } catch (const InputError& error) {  // shapes that do not fit: one problem of several
    return {{}, error.what()};
  }
  const Context context(choice);
  Plan plan;
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = plan.create(context, operator_of(problem), tensors.data, tensors.indices,
                                           tensors.output ? &*tensors.output : nullptr, &error);
  if (status != GARNER_OK) return {{}, describe_error(status, error)};
  return {PlanFacts(plan, threads), ""};
}

// Takes variables of the environment away while it lives.
class WithoutVariables {
 public:
  explicit WithoutVariables(std::vector<std::string> variables) : variables_(std::move(variables)) {
    for (const std::string& variable : variables_) unsetenv(variable.substr(0, variable.find('=')).c_str());
  }
  ~WithoutVariables() {
    for (const std::string& variable : variables_) {
      const size_t equals = variable.find('=');
      setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
    }
  }
  WithoutVariables(const WithoutVariables&) = delete;
  WithoutVariables& operator=(const WithoutVariables&) = delete;

 private:
  std::vector<std::string> variables_;
};

// Names the variables that changed this plan: those without which it would be another one; or, when several ask for the
// same, those that would have changed it alone.
void print_variables(const Problem& problem, Choice choice, int32_t threads, const Planned& planned) {
  choice.silent = true;  // the warnings about variables have been printed
  const std::vector<std::string> variables = garner_variables();
  const auto plan_without = [&](const std::vector<std::string>& left_out) {
    const WithoutVariables guard(left_out);
    return plan_of(problem, choice, threads);
  };
  const Planned plain = plan_without(variables);
  if (!(plain != planned)) return;
  std::vector<std::string> needed;
  std::vector<std::string> sufficient;
  for (const std::string& variable : variables) {
    std::vector<std::string> others = variables;
    others.erase(std::find(others.begin(), others.end(), variable));
    if (plan_without({variable}) != planned) needed.push_back(variable);
    if (plan_without(others) != plain) sufficient.push_back(variable);
  }
  print_line("with", fmt::format("{}", fmt::join(needed.empty() ? sufficient : needed, " ")));
  print_line("without", plain.refusal.empty() ? fmt::format("path {}, kernel {}, {} thread(s)", plain.facts.get("path"),
                                                            plain.facts.get("kernel"), plain.facts.get("threads"))
                                              : plain.refusal);
}

int explain(const ExplainOptions& options) {
  Choice choice;
  choice.path = parse_path(options.path);
  choice.body = parse_body(options.body);
  choice.isa = parse_isa(options.isa);
  std::vector<NamedProblem> problems;
  for (const std::string& text : options.problems) problems.push_back(named_problem("", text));
  bool refused = false;
  for (const NamedProblem& problem : problems) {
    const Planned planned = plan_of(problem.problem, choice, options.threads);
    if (options.raw && planned.refusal.empty()) {
      fmt::print("{}", planned.facts.text());
      continue;
    }
    fmt::print("{}\n", problem.text);
    if (planned.refusal.empty()) {
      print_facts(planned.facts);
    } else {
      refused = true;
      print_line("refused", planned.refusal);
    }
    print_variables(problem.problem, choice, options.threads, planned);
  }
  return refused ? exit_usage : exit_fine;
}

}  // namespace

Command add_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("problems", options->problems, "problem strings")->required();
  app.add_option("--path", options->path, "force a path: copy, jit, scalar");
  app.add_option("--gather", options->body, "force a gather body: table, loads, hardware");
  app.add_option("--isa", options->isa, "highest ISA: scalar, avx2, avx512");
  app.add_option("--threads", options->threads, "plan for at most so many threads; 0: no limit")
      ->check(CLI::Range(0, 4096));
  app.add_flag("--raw", options->raw, "the library's own key=value lines");
  app.footer(
      "Examples:\n"
      "  garner-perf explain gathernd:f32:1000x256x10x15:i64:25x125x3\n"
      "  garner-perf explain --raw --threads 1 gatherelements:f32:1x8400x80:i64:1x300x80:axis=1");
  return [options] { return explain(*options); };
}

}  // namespace garner::perf
