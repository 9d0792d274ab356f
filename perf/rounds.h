// SPDX-License-Identifier: Apache-2.0
// Things that take turns in rounds, so that a slow phase of the machine meets all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "perf/statistics.h"
#include "perf/workload.h"

namespace garner::perf {

using Call = std::function<void(const BufferSet&)>;

class Contestant {
 public:
  explicit Contestant(Call call) : call_(std::move(call)) {}

  // Calls until caches and predictors are as its own calls leave them, and finds out how many calls make a sample.
  void warm_up(Workload& workload);
  // Samples until the budget is spent, at least one.
  void take_turn(Workload& workload, double budget_ns);

  double warm_up_ns() const { return call_ns_; }  // of one call
  int64_t batch() const { return batch_; }        // calls in a sample
  int64_t calls() const { return calls_; }        // counted ones
  const std::vector<double>& samples() const { return samples_; }
  const std::vector<double>& round_medians() const { return round_medians_; }
  double p50() const { return median(samples_); }
  const Call& call() const { return call_; }

 private:
  Call call_;
  double call_ns_ = 0;
  int64_t batch_ = 0;  // 0: not known yet
  int64_t calls_ = 0;
  std::vector<double> samples_;
  std::vector<double> round_medians_;
};

// The best of several ways to do the same, from a few short interleaved turns.
Call pick_best(const std::vector<Call>& variants, Workload& workload);

inline constexpr int min_rounds = 7;

struct Rounds {
  int done = 0;
  bool steady = false;       // the medians that count no longer move
  bool out_of_time = false;  // fewer than min_rounds, because calls are long
};

// Rounds until the 95 % interval of every contestant in `steady` lies within half a percent of its median, or `seconds` are
// over, or a signal came. At least seven; fewer only when those would take eight times as long as was
// asked for, and more than a second.
Rounds run_rounds(const std::vector<Contestant*>& turns, const std::vector<Contestant*>& steady, Workload& workload,
                  double seconds);

// The rounds' own ratios of a to b, which a machine that slows down for a while changes less than either.
std::vector<double> round_ratios(const Contestant& a, const Contestant& b);

}  // namespace garner::perf
