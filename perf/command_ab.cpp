// SPDX-License-Identifier: Apache-2.0
// garner-perf ab: two libraries interleaved in one process, the comparison that decides.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/ab.h"
#include "perf/atomic_file.h"
#include "perf/builtin_problems.h"
#include "perf/commands.h"
#include "perf/environment.h"
#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/progress.h"
#include "perf/report.h"

namespace garner::perf {
namespace {

struct AbCommandOptions {
  std::vector<std::string> problems;
  std::vector<std::string> files;
  std::string base;
  std::string changed;
  std::string cache = "warm";
  std::string pages = "normal";
  std::string threshold = "1%";
  std::string json;
  AbOptions measure;
};

AbOptions measure_options(const AbCommandOptions& options) {
  AbOptions measure = options.measure;
  measure.cold = options.cache == "cold";
  measure.pages = options.pages == "thp" ? Pages::huge : Pages::normal;
  measure.threshold = parse_threshold(options.threshold);
  return measure;
}

class AbCommand {
 public:
  explicit AbCommand(const AbCommandOptions& options) : options_(options), measure_(measure_options(options)) {}

  int run() {
    const std::vector<NamedProblem> problems = problems_of(options_.problems, options_.files);
    base_ = load_library(options_.base);
    changed_ = options_.changed.empty() ? own_library() : load_library(options_.changed);
    if (!options_.json.empty() && options_.json != "-") json_file_ = std::make_unique<AtomicFile>(options_.json);
    out_ = options_.json == "-" ? stderr : stdout;
    catch_interrupts();
    for (const NamedProblem& problem : problems) width_ = std::max(width_, problem.name.size());
    width_ = std::min<size_t>(width_, 40);
    print_head();
    ThreadTeam team(measure_.threads, 50'000);
    Progress progress(static_cast<int>(problems.size()));
    for (const NamedProblem& problem : problems) {
      if (interrupted() || std::ferror(stdout) != 0) break;
      progress.step(problem.name);
      run_row(problem, team, progress);
    }
    progress.clear();
    return finish();
  }

 private:
  void print_head() const {
    fmt::print(out_, "base  {}: {}\n", options_.base, base_.build_info());
    fmt::print(out_, "new   {}: {}\n", options_.changed.empty() ? "the tool's own" : options_.changed,
               changed_.build_info());
    fmt::print(out_, "{:<{}} {:>10} {:>10} {:>24} {:>17} {:<10} {}\n", "problem", width_, "base", "new",
               "change (95 %)", "effect", "verdict", "path");
    std::fflush(out_);
  }

  void run_row(const NamedProblem& problem, ThreadTeam& team, Progress& progress) {
    try {
      const AbResult result = measure_ab(problem, base_, changed_, measure_, pool_, team);
      progress.clear();
      print_row(problem, result);
      write_json(problem, result);
      ++rows_;
      slower_ += result.change == Change::slower;
      faster_ += result.change == Change::faster;
      wrong_ = wrong_ || !result.base.difference.empty() || !result.changed.difference.empty();
    } catch (const InputError& error) {
      progress.clear();
      refused_ = true;
      fmt::print(out_, "{:<{}} refused: {}\n", problem.name, width_, error.what());
    } catch (const Interrupted&) {
      progress.clear();
    }
    std::fflush(out_);
  }

  void print_row(const NamedProblem& problem, const AbResult& result) const {
    const auto percent = [](double ratio) { return 100 * (ratio - 1); };
    const std::string path =
        result.base.path == result.changed.path ? result.base.path : result.base.path + " -> " + result.changed.path;
    fmt::print(out_, "{:<{}} {:>10} {:>10} {:>24} {:>17} {:<10} {}{}\n", problem.name, width_,
               time_text(result.base.p50_ns), time_text(result.changed.p50_ns),
               fmt::format("{:+.2f} % ({:+.2f} {:+.2f})", percent(result.ratio.median), percent(result.ratio.low),
                           percent(result.ratio.high)),
               fmt::format("{:+.2f} {}", result.delta, effect_word(result.delta)), change_word(result.change), path,
               result.complete ? "" : " (cut short by an interrupt)");
    for (const auto& [name, side] : {std::pair("base", &result.base), std::pair("new", &result.changed)}) {
      if (!side->difference.empty()) fmt::print(out_, "{:<{}} WRONG ({}): {}\n", "", width_, name, side->difference);
    }
  }

  void write_json(const NamedProblem& problem, const AbResult& result) {
    if (options_.json.empty()) return;
    using Json = nlohmann::ordered_json;
    const auto side = [](const Library& library, const AbSide& s) {
      return Json{{"library", library.path}, {"build", library.build_info()},   {"path", s.path}, {"kernel", s.kernel},
                  {"p50_ns", s.p50_ns},      {"verified", s.difference.empty()}};
    };
    if (environment_.is_null()) environment_ = environment_json();
    const Json json = {{"ab", 1},
                       {"problem", problem.text},
                       {"name", problem.name},
                       {"threads", measure_.threads},
                       {"cache", options_.cache},
                       {"pages", options_.pages},
                       {"base", side(base_, result.base)},
                       {"new", side(changed_, result.changed)},
                       {"ratio",
                        {{"median", result.ratio.median},
                         {"low", result.ratio.low},
                         {"high", result.ratio.high},
                         {"rounds", result.ratio.rounds}}},
                       {"cliffs_delta", result.delta},
                       {"threshold", measure_.threshold},
                       {"verdict", change_word(result.change)},
                       {"environment", environment_}};
    const std::string line = json.dump() + "\n";
    if (json_file_) {
      json_file_->write(line.data(), line.size());
    } else {
      std::fwrite(line.data(), 1, line.size(), stdout);
    }
  }

  int finish() {
    fmt::print(out_, "{} problems: {} slower, {} faster, {} without change beyond {:g} %\n", rows_, slower_, faster_,
               rows_ - slower_ - faster_, 100 * measure_.threshold);
    fmt::print(out_,
               "change: time of new over that of base, median of the rounds' ratios. effect: Cliff's delta over the "
               "rounds,\nfrom -1 (new is always faster) to 1 (always slower).\n");
    if (interrupted())
      fmt::print(stderr, "garner-perf: interrupted; what was measured is complete as far as it goes\n");
    if (json_file_ && rows_ > 0) json_file_->commit();
    if (slower_ > 0 || wrong_) return exit_wrong;
    return refused_ || interrupted() ? exit_usage : exit_fine;
  }

  const AbCommandOptions& options_;
  const AbOptions measure_;
  Library base_;
  Library changed_;
  DataPool pool_{measure_.pages};
  std::unique_ptr<AtomicFile> json_file_;
  nlohmann::ordered_json environment_;
  std::FILE* out_ = stdout;
  size_t width_ = 7;
  int rows_ = 0;
  int slower_ = 0;
  int faster_ = 0;
  bool wrong_ = false;
  bool refused_ = false;
};

}  // namespace

Command add_ab(CLI::App& app) {
  auto options = std::make_shared<AbCommandOptions>();
  app.add_option("problems", options->problems, "problem strings; without any, bench's built-in set");
  app.add_option("--base", options->base, "the shared library to compare with, as libgarner.so")
      ->required()
      ->check(not_empty);
  app.add_option("--new", options->changed, "the shared library to judge; without it, what the tool was built with")
      ->check(not_empty);
  app.add_option("--file", options->files, "a file of `name problem` lines; may be given again")
      ->allow_extra_args(false)
      ->check(not_empty);
  app.add_option("--threads", options->measure.threads, "threads of the tool's own that both use")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--cache", options->cache, "warm, or cold (rotating buffers)")
      ->check(CLI::IsMember({"warm", "cold"}))
      ->capture_default_str();
  app.add_option("--pages", options->pages, "pages behind the buffers: normal, thp")
      ->check(CLI::IsMember({"normal", "thp"}))
      ->capture_default_str();
  app.add_option("--seconds", options->measure.seconds, "time for each problem")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  app.add_option("--threshold", options->threshold, "a change is one whose whole interval lies beyond it")
      ->capture_default_str();
  app.add_option("--json", options->json, "write JSON Lines to a file, or to standard output with -")->check(not_empty);
  app.footer(
      "Example:\n"
      "  garner-perf ab --base /usr/lib/x86_64-linux-gnu/libgarner.so.0 --new build/release/src/libgarner.so \\\n"
      "    gathernd:f32:4096:i64:262144x1 gatherelements:f32:1x8400x80:i64:1x300x80:axis=1:pattern=rows");
  return [options] { return AbCommand(*options).run(); };
}

}  // namespace garner::perf
