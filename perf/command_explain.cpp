// SPDX-License-Identifier: Apache-2.0
// garner-perf explain: the plan of a problem in words.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "perf/commands.h"
#include "perf/environment.h"
#include "perf/gather_case.h"
#include "perf/input_error.h"
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

std::string bytes_text(int64_t bytes) {
  if (bytes < 10000) return fmt::format("{} bytes", bytes);
  static constexpr const char* units[] = {"KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1e3;
  size_t unit = 0;
  for (; value >= 999.95 && unit < 3; ++unit) value /= 1e3;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

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
  print_line("shards", fmt::format("{} on {} thread(s)", facts.get("shards"), facts.get("threads")));
  print_line("output", facts.get("output_shape"));
  print_line("work",
             fmt::format("{} tuples, each copies {}{}", facts.number("tuples"), bytes_text(facts.number("slice_bytes")),
                         facts.number("slice_runs") > 1 ? fmt::format(" in {} runs of {}", facts.number("slice_runs"),
                                                                      bytes_text(facts.number("run_bytes")))
                                                        : ""));
  print_line("bytes", fmt::format("data {}, indices {}, output {}", bytes_text(facts.number("data_bytes")),
                                  bytes_text(facts.number("index_bytes")), bytes_text(facts.number("output_bytes"))));
  print_line("dims", facts.get("dims"));
  print_line("coords", facts.get("coords"));
  print_line("slice", facts.get("slice"));
}

// Plans without running. The text of a refusal is the library's own.
std::string plan_facts(const Problem& problem, const Choice& choice, int32_t threads, PlanFacts& facts) {
  const ProblemTensors tensors = tensors_of(problem, false);
  const Context context(choice);
  Plan plan;
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = plan.create(context, operator_of(problem), tensors.data, tensors.indices,
                                           tensors.output ? &*tensors.output : nullptr, &error);
  if (status != GARNER_OK) return describe_error(status, error);
  facts = PlanFacts(plan, threads);
  return "";
}

int explain(const ExplainOptions& options) {
  Choice choice;
  choice.path = parse_path(options.path);
  choice.body = parse_body(options.body);
  choice.isa = parse_isa(options.isa);
  const std::vector<std::string> variables = garner_variables();
  struct Explained {
    NamedProblem problem;
    PlanFacts facts;
    std::string refusal;
  };
  std::vector<Explained> explained;
  for (const std::string& text : options.problems) {
    Explained next{named_problem("", text), {}, ""};
    next.refusal = plan_facts(next.problem.problem, choice, options.threads, next.facts);
    explained.push_back(std::move(next));
  }
  for (const std::string& variable : variables) unsetenv(variable.substr(0, variable.find('=')).c_str());

  bool refused = false;
  for (Explained& next : explained) {
    if (options.raw && next.refusal.empty()) {
      fmt::print("{}", next.facts.text());
      continue;
    }
    fmt::print("{}\n", next.problem.text);
    if (next.refusal.empty()) {
      print_facts(next.facts);
    } else {
      refused = true;
      print_line("refused", next.refusal);
    }
    if (variables.empty()) continue;
    print_line("with", fmt::format("{}", fmt::join(variables, " ")));
    PlanFacts plain;
    const std::string refusal = plan_facts(next.problem.problem, choice, options.threads, plain);
    print_line("without",
               refusal.empty() ? fmt::format("path {}, kernel {}", plain.get("path"), plain.get("kernel")) : refusal);
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
  return [options] { return explain(*options); };
}

}  // namespace garner::perf
