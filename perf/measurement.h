// SPDX-License-Identifier: Apache-2.0
// One measured problem: garner, the hand-written loop and the ceilings in interleaved rounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perf/problem.h"
#include "perf/runner.h"
#include "perf/thread_team.h"
#include "perf/timing.h"
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
  std::string dtype;
  std::string index_dtype;
  int threads = 1;
  bool cold = false;
  PlanFacts plan;
  int64_t elements = 0;  // of the output
  int64_t calls = 0;
  Summary ns;
  std::vector<double> samples;
  std::optional<Ceiling> ceiling;
  double plan_cold_ns = 0;
  double plan_warm_ns = 0;
  std::optional<double> baseline_p50;
  Interval vs_baseline;          // time of the loop over that of garner
  std::optional<bool> verified;  // nothing: not asked for
  uint32_t checksum = 0;         // of the output
  std::vector<std::string> notes;

  double of_ceiling() const { return ceiling && ns.p50 > 0 ? ceiling->ns / ns.p50 : 0; }
  // What has to move: the indices read, the slices read, the output written.
  int64_t moved_bytes() const { return plan.number("index_bytes") + 2 * plan.number("output_bytes"); }
  double gb_per_s() const { return ns.p50 > 0 ? static_cast<double>(moved_bytes()) / ns.p50 : 0; }
};

// Threads are the library's own (oneTBB) where it has them, otherwise the team. Throws InputError when the library
// refuses the problem or its indices.
Measurement measure(const NamedProblem& problem, int threads, bool cold, const MeasureOptions& options, DataPool& pool,
                    ThreadTeam& team);

uint32_t crc32(const std::byte* bytes, int64_t count);

}  // namespace garner::perf
