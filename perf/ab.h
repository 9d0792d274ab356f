// SPDX-License-Identifier: Apache-2.0
// Two garner libraries on the same buffers in one process, in interleaved rounds.
#pragma once

#include <string>

#include "perf/comparison.h"
#include "perf/library.h"
#include "perf/problem.h"
#include "perf/statistics.h"
#include "perf/thread_team.h"
#include "perf/workload.h"

namespace garner::perf {

struct AbOptions {
  int threads = 1;
  bool cold = false;
  Pages pages = Pages::normal;
  double seconds = 1;
  double threshold = 0.01;
};

struct AbSide {
  std::string path;
  std::string kernel;
  double p50_ns = 0;
  std::string difference;  // from the reference, "" when there is none
};

struct AbResult {
  AbSide base;
  AbSide changed;
  Interval ratio;    // time of the changed library over that of the base, by rounds
  double delta = 0;  // Cliff's delta of the changed library's rounds against the base's
  Change change = Change::none;
  bool complete = true;  // false when a signal cut it short
};

// What the ratio says: a change is one whose whole interval lies beyond the threshold.
Change judge(const Interval& ratio, double threshold);

// Throws InputError when a library refuses the problem, and Interrupted when a signal came before there was a result.
AbResult measure_ab(const NamedProblem& problem, const Library& base, const Library& changed, const AbOptions& options,
                    DataPool& pool, ThreadTeam& team);

}  // namespace garner::perf
