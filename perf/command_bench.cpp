// SPDX-License-Identifier: Apache-2.0
// garner-perf bench: problems measured beside the ceilings of the machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "jit/calibration.h"
#include "perf/atomic_file.h"
#include "perf/builtin_problems.h"
#include "perf/commands.h"
#include "perf/environment.h"
#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/measurement.h"
#include "perf/progress.h"
#include "perf/report.h"
#include "runtime/cpu.h"

namespace garner::perf {
namespace {

struct BenchOptions {
  std::vector<std::string> problems;
  std::vector<std::string> files;
  std::vector<int> threads{1};
  std::vector<std::string> caches{"warm"};
  std::string baseline;
  std::string path;
  std::string body;
  std::string isa;
  std::string pages = "normal";
  double seconds = 0.5;
  bool samples = false;
  bool no_verify = false;
  std::string json;
  std::string expect_path;
};

class BenchCommand {
 public:
  explicit BenchCommand(const BenchOptions& options) : options_(options), measure_(measure_options(options)) {
    parse_path(options.expect_path);
  }

  int run() {
    const std::vector<NamedProblem> problems = collect();
    if (!options_.json.empty() && options_.json != "-") json_file_ = std::make_unique<AtomicFile>(options_.json);
    table_ = options_.json == "-" ? stderr : stdout;
    catch_interrupts();
    calibrate_first();
    environment_ = environment_json();
    print_table_head(table_, measure_.baseline);
    Progress progress(static_cast<int>(problems.size() * options_.threads.size() * options_.caches.size()));
    for (const int threads : options_.threads) {
      ThreadTeam team(threads, 50'000);
      for (const std::string& cache : options_.caches) {
        for (const NamedProblem& problem : problems) {
          if (interrupted() || std::ferror(stdout) != 0) break;
          progress.step(problem.name);
          run_row(problem, threads, cache == "cold", team, progress);
        }
      }
    }
    progress.clear();
    print_table_foot(table_, measure_.baseline);
    if (json_file_ && results_ > 0) json_file_->commit();  // with none, an older file stays
    if (wrong_ || unexpected_) return exit_wrong;
    if (interrupted()) return exit_interrupted;
    return refused_ ? exit_usage : exit_fine;
  }

 private:
  static MeasureOptions measure_options(const BenchOptions& options) {
    MeasureOptions measure;
    measure.choice.path = parse_path(options.path);
    measure.choice.body = parse_body(options.body);
    measure.choice.isa = parse_isa(options.isa);
    measure.pages = options.pages == "thp" ? Pages::huge : Pages::normal;
    measure.baseline = !options.baseline.empty();
    measure.verify = !options.no_verify;
    measure.seconds = options.seconds;
    return measure;
  }

  std::vector<NamedProblem> collect() const {
    std::vector<NamedProblem> problems;
    for (const std::string& file : options_.files) {
      for (NamedProblem& problem : read_problem_file(file)) problems.push_back(std::move(problem));
    }
    for (const std::string& text : options_.problems) problems.push_back(named_problem("", text));
    return problems.empty() ? bench_problems() : problems;
  }

  // Which gather body is faster is measured once per process; not inside the first problem's planning time.
  static void calibrate_first() {
    const Isa isa = detect_cpu().isa;
    for (Isa level : {Isa::avx2, Isa::avx512}) {
      if (level > isa) break;
      for (const int bytes : {4, 8}) jit::calibrate(bytes, level);
    }
  }

  void run_row(const NamedProblem& problem, int threads, bool cold, ThreadTeam& team, Progress& progress) {
    try {
      const Measurement m = measure(problem, threads, cold, measure_, pool_, team);
      progress.clear();
      if (m.ns.p50 <= 0) return;  // interrupted before its first sample
      print_table_row(table_, m, measure_.baseline);
      if (m.verified && !*m.verified) wrong_ = true;
      if (!options_.expect_path.empty() && m.plan.get("path") != options_.expect_path) {
        unexpected_ = true;
        fmt::print(table_, "{:<24} FAILED: expected the path {}, the plan took {}\n", "", options_.expect_path,
                   m.plan.get("path"));
      }
      write_json(m);
    } catch (const InputError& error) {
      progress.clear();
      refused_ = true;
      fmt::print(table_, "{:<24} refused: {}\n", problem.name, error.what());
      std::fflush(table_);
    }
  }

  void write_json(const Measurement& m) {
    ++results_;
    if (options_.json.empty()) return;
    const std::string line = to_json(m, environment_, options_.samples).dump() + "\n";
    if (json_file_) {
      json_file_->write(line.data(), line.size());
    } else {
      std::fwrite(line.data(), 1, line.size(), stdout);
      std::fflush(stdout);
    }
  }

  const BenchOptions& options_;
  const MeasureOptions measure_;
  DataPool pool_{measure_.pages};
  std::unique_ptr<AtomicFile> json_file_;
  nlohmann::ordered_json environment_;
  std::FILE* table_ = stdout;
  int64_t results_ = 0;
  bool wrong_ = false;
  bool unexpected_ = false;
  bool refused_ = false;
};

}  // namespace

Command add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  app.add_option("problems", options->problems, "problem strings; without any, a short built-in set of real workloads");
  app.add_option("--file", options->files, "a file of `name problem` lines; may be given again")
      ->allow_extra_args(false)
      ->check(not_empty);
  app.add_option("--threads", options->threads, "thread counts, as in 1,2")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_option("--baseline", options->baseline, "a rival measured in the same rounds: loop")
      ->check(CLI::IsMember({"loop"}));
  app.add_option("--path", options->path, "force a path: copy, jit, scalar");
  app.add_option("--gather", options->body, "force a gather body: table, loads, hardware");
  app.add_option("--isa", options->isa, "highest ISA: scalar, avx2, avx512");
  app.add_option("--cache", options->caches, "warm, cold (rotating buffers), or both as warm,cold")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember({"warm", "cold"}));
  app.add_option("--pages", options->pages, "pages behind the buffers: normal, thp")
      ->check(CLI::IsMember({"normal", "thp"}));
  app.add_option("--seconds", options->seconds, "time for each row")->check(CLI::Range(0.001, 3600.0));
  app.add_flag("--samples", options->samples, "write every sample to the JSON");
  app.add_flag("--no-verify", options->no_verify, "do not compare the output with the reference");
  app.add_option("--json", options->json, "write JSON Lines to a file, or to standard output with -")->check(not_empty);
  app.add_option("--expect-path", options->expect_path, "exit 1 when a plan takes another path: copy, jit, scalar");
  return [options] { return BenchCommand(*options).run(); };
}

}  // namespace garner::perf
