// SPDX-License-Identifier: Apache-2.0
#include "perf/ab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/reference.h"
#include "perf/rounds.h"
#include "perf/runner.h"
#include "perf/timing.h"
#include "perf/verification.h"
#include "runtime/cpu.h"

namespace garner::perf {
namespace {

// Where code and tables happen to lie can be worth a percent or two. Each placement makes contexts and plans anew, so that the
// interval covers that luck instead of taking it for a difference.
constexpr int placements = 8;
constexpr int rounds_of_placement = 6;
constexpr double patience = 8;

class Side {
 public:
  Side(const Library& library, const Workload& workload, int threads, const garner_executor* executor)
      : library_(library), workload_(workload), threads_(threads), executor_(executor) {}

  void place() {
    plan_ = Plan();
    Choice choice;
    choice.silent = context_ != nullptr;  // warnings once are enough
    context_ = std::make_unique<Context>(choice, nullptr, library_);
    try {
      plan_ = plan_of(*context_, workload_);
    } catch (const InputError& error) {
      throw InputError(name() + error.what());
    }
    contestant_ = std::make_unique<Contestant>(call());
  }

  AbSide check(const std::byte* right) {
    const BufferSet& set = workload_.first();
    std::memset(set.output, 0, to_size(workload_.output_bytes()));
    const garner_args args = arguments();
    garner_error error = GARNER_ERROR_INIT;
    const garner_status status = plan_.execute(args, &error);
    if (status != GARNER_OK) throw InputError(name() + describe_error(status, error));
    const PlanFacts facts(plan_, threads_);
    return {facts.get("path"), facts.get("kernel"), 0, first_difference(workload_.output(), set.output, right)};
  }

  Contestant& contestant() { return *contestant_; }

  // Ends a placement: what was measured in it joins the rest.
  void collect() {
    rounds_.insert(rounds_.end(), contestant_->round_medians().begin(), contestant_->round_medians().end());
    samples_.insert(samples_.end(), contestant_->samples().begin(), contestant_->samples().end());
  }
  const std::vector<double>& rounds() const { return rounds_; }
  double p50() const { return median(samples_); }

 private:
  std::string name() const { return library_.path.empty() ? "" : library_.path + ": "; }

  garner_args arguments() const {
    garner_args args = workload_.arguments(workload_.first(), threads_);
    args.executor = executor_;
    return args;
  }

  Call call() {
    return [this, args = arguments()](const BufferSet& set) mutable {
      args.data = set.data;
      args.indices = set.indices;
      args.output = set.output;
      plan_.execute(args, nullptr);
    };
  }

  const Library& library_;
  const Workload& workload_;
  int threads_;
  const garner_executor* executor_;
  std::unique_ptr<Context> context_;
  Plan plan_;
  std::unique_ptr<Contestant> contestant_;
  std::vector<double> rounds_;
  std::vector<double> samples_;
};

}  // namespace

Change judge(const Interval& ratio, double threshold) {
  if (ratio.rounds == 0) return Change::none;
  if (ratio.low > 1 + threshold) return Change::slower;
  if (ratio.high < 1 / (1 + threshold)) return Change::faster;
  return Change::none;
}

AbResult measure_ab(const NamedProblem& problem, const Library& base, const Library& changed, const AbOptions& options,
                    DataPool& pool, ThreadTeam& team) {
  Workload workload(problem, options.cold, options.pages, detect_cpu().llc_bytes, pool);
  const Buffer right = reference_output(workload, options.pages);
  // The same threads for both, whatever they were built with.
  const garner_executor executor = team.executor();
  const garner_executor* threads = options.threads > 1 ? &executor : nullptr;
  Side a(base, workload, options.threads, threads);
  Side b(changed, workload, options.threads, threads);
  AbResult result;
  std::vector<double> ratios;
  const double budget_ns = options.seconds * 1e9 / placements / rounds_of_placement / 2;
  const int64_t start = now_ns();
  const auto out_of_time = [&] { return static_cast<double>(now_ns() - start) > patience * options.seconds * 1e9; };
  for (int placement = 0; placement < placements && !interrupted(); ++placement) {
    if (placement > 0 && out_of_time()) break;
    // Who is placed first, and who takes the first turn, alternates.
    Side* first = placement % 2 == 0 ? &a : &b;
    Side* second = placement % 2 == 0 ? &b : &a;
    first->place();
    second->place();
    if (placement == 0) {
      result.base = a.check(right.data());
      result.changed = b.check(right.data());
    }
    for (int round = 0; round < rounds_of_placement && !interrupted(); ++round) {
      if (round > 0 && out_of_time()) break;
      first->contestant().take_turn(workload, budget_ns);
      second->contestant().take_turn(workload, budget_ns);
      std::swap(first, second);
    }
    const std::vector<double> these = round_ratios(b.contestant(), a.contestant());
    ratios.insert(ratios.end(), these.begin(), these.end());
    a.collect();
    b.collect();
  }
  if (ratios.empty()) throw Interrupted();
  result.complete = !interrupted();
  result.ratio = median_interval(std::move(ratios));
  result.delta = cliffs_delta(a.rounds(), b.rounds());
  result.change = judge(result.ratio, options.threshold);
  result.base.p50_ns = a.p50();
  result.changed.p50_ns = b.p50();
  return result;
}

}  // namespace garner::perf
