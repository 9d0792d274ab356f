// SPDX-License-Identifier: Apache-2.0
// One measured problem: garner, the hand-written loop and the ceilings in interleaved rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perf/problem.h"
#include "perf/runner.h"
#include "perf/statistics.h"
#include "perf/thread_team.h"
#include "perf/workload.h"

namespace garner::perf {

struct MeasureOptions {
  Choice choice;
  Pages pages = Pages::normal;
  bool baseline = false;
  bool verify = true;
  double seconds = 0.5;  // per row, spread over the rounds and all that runs in them
};

struct Ceiling {
  double copy_ns = 0;
  double stream_ns = 0;
  std::optional<double> touch_ns;  // nothing where the table fits in registers, or a tensor is not dense
  double ns = 0;                   // the largest
};

struct Measurement {
  std::string name;
  std::string problem;
  int threads = 1;
  bool cold = false;
  Pages pages = Pages::normal;
  int buffer_sets = 1;
  PlanFacts plan;        // of the plan that ran: what the row says of path, kernel, types and bytes is read from it
  int64_t elements = 0;  // of the output
  int64_t calls = 0;
  int64_t batch = 1;  // calls in a sample
  int rounds = 0;
  bool steady = false;
  Summary ns;
  Interval round_ns;  // of the rounds' medians
  std::vector<double> samples;
  std::optional<Ceiling> ceiling;
  std::vector<double> of_ceiling_rounds;  // the rounds' own ratios of the ceiling's probe to garner
  double plan_cold_ns = 0;
  double plan_warm_ns = 0;
  std::optional<double> baseline_p50;
  Interval vs_baseline;          // time of the loop over that of garner
  std::optional<bool> verified;  // nothing: not asked for
  std::string difference;        // when it is wrong: where
  uint32_t checksum = 0;         // of the output
  std::vector<std::string> notes;

  std::string dtype() const;  // as in problem strings
  std::string index_dtype() const;
  double of_ceiling() const { return ceiling && ns.p50 > 0 ? ceiling->ns / ns.p50 : 0; }
  // What has to move: the indices read, the slices read, the output written.
  int64_t moved_bytes() const { return plan.number("index_bytes") + 2 * plan.number("output_bytes"); }
  double gb_per_s() const { return ns.p50 > 0 ? static_cast<double>(moved_bytes()) / ns.p50 : 0; }
};

// Threads are the library's own (oneTBB) where it has them, otherwise the team. Throws InputError when the library
// refuses the problem or its indices, and Interrupted when a signal came before there was anything to report.
Measurement measure(const NamedProblem& problem, int threads, bool cold, const MeasureOptions& options, DataPool& pool,
                    ThreadTeam& team);

}  // namespace garner::perf
