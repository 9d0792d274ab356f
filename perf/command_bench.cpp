// SPDX-License-Identifier: Apache-2.0
// garner-perf bench: problems measured beside the ceilings of the machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "jit/calibration.h"
#include "perf/atomic_file.h"
#include "perf/builtin_problems.h"
#include "perf/commands.h"
#include "perf/environment.h"
#include "perf/html_page.h"
#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/measurement.h"
#include "perf/progress.h"
#include "perf/record.h"
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
  std::string html;
  std::string expect_path;
};

class BenchCommand {
 public:
  explicit BenchCommand(const BenchOptions& options) : options_(options), measure_(measure_options(options)) {
    parse_path(options.expect_path);
  }

  int run() {
    const std::vector<NamedProblem> problems = problems_of(options_.problems, options_.files);
    if (!options_.json.empty() && options_.json != "-") json_file_ = std::make_unique<AtomicFile>(options_.json);
    if (!options_.html.empty()) html_file_ = std::make_unique<AtomicFile>(options_.html);
    table_ = options_.json == "-" ? stderr : stdout;
    catch_interrupts();
    calibrate_first();
    environment_ = environment_json();
    name_width_ = name_width(problems);
    print_table_head(table_, measure_.baseline, name_width_);
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
    if (results_ > 0) {  // with none, older files stay
      if (json_file_) json_file_->commit();
      if (html_file_) write_html();
    }
    if (interrupted())
      fmt::print(stderr, "garner-perf: interrupted; what was measured is complete as far as it goes\n");
    if (wrong_ || unexpected_) return exit_wrong;
    return refused_ || interrupted() ? exit_usage : exit_fine;
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

  // As wide as the longest name, but a problem that is its own name may stick out.
  static int name_width(const std::vector<NamedProblem>& problems) {
    size_t width = 7;  // of the heading
    for (const NamedProblem& problem : problems) width = std::max(width, problem.name.size());
    return static_cast<int>(std::min<size_t>(width, 24));
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
      print_table_row(table_, m, measure_.baseline, name_width_);
      if (m.verified && !*m.verified) wrong_ = true;
      if (!options_.expect_path.empty() && m.plan.get("path") != options_.expect_path) {
        unexpected_ = true;
        fmt::print(table_, "{:<{}} FAILED: expected the path {}, the plan took {}\n", "", name_width_,
                   options_.expect_path, m.plan.get("path"));
      }
      write_json(m);
    } catch (const InputError& error) {
      progress.clear();
      refused_ = true;
      fmt::print(table_, "{:<{}} refused: {}\n", problem.name, name_width_, error.what());
      std::fflush(table_);
    } catch (const Interrupted&) {
      progress.clear();  // the row has nothing to say yet
    }
  }

  void write_json(const Measurement& m) {
    ++results_;
    if (options_.json.empty() && !html_file_) return;
    const nlohmann::ordered_json json = to_json(m, environment_, options_.samples);
    if (html_file_) records_.push_back(parse_record(json, m.name));
    if (options_.json.empty()) return;
    const std::string line = json.dump() + "\n";
    if (json_file_) {
      json_file_->write(line.data(), line.size());
    } else {
      std::fwrite(line.data(), 1, line.size(), stdout);
      std::fflush(stdout);
    }
  }

  void write_html() {
    const std::string page = html_page(records_);
    html_file_->write(page.data(), page.size());
    html_file_->commit();
  }

  const BenchOptions& options_;
  const MeasureOptions measure_;
  DataPool pool_{measure_.pages};
  std::unique_ptr<AtomicFile> json_file_;
  std::unique_ptr<AtomicFile> html_file_;
  std::vector<Record> records_;  // for the page
  nlohmann::ordered_json environment_;
  std::FILE* table_ = stdout;
  int name_width_ = 0;
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
  app.add_option("--html", options->html, "write a page with plots, which needs no network, to a file")
      ->check(not_empty);
  app.add_option("--expect-path", options->expect_path, "exit 1 when a plan takes another path: copy, jit, scalar");
  app.footer(
      "Examples:\n"
      "  garner-perf bench                                      the built-in set\n"
      "  garner-perf bench --baseline loop gathernd:f32:64x64:i64:262144x2\n"
      "  garner-perf bench --file perf/problems/workloads.txt --threads 1,2 --json new.json --html new.html\n"
      "  garner-perf bench --cache cold --pages thp --seconds 2 gathernd:f16:32000x640:i64:512x1:pattern=zipf-1.05\n"
      "  garner-perf bench --expect-path jit --seconds 0.05 gathernd:f32:4096:i64:262144x1");
  return [options] { return BenchCommand(*options).run(); };
}

}  // namespace garner::perf
