// SPDX-License-Identifier: Apache-2.0
// What garner is measured against, as calls on a workload's buffers: the hand-written loop, and the probes that are the
// ceiling. Each comes in variants, on one thread and on all: small work is best left on one, for the rivals as well.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "perf/rounds.h"
#include "perf/thread_team.h"
#include "perf/workload.h"
#include "runtime/cpu.h"

namespace garner::perf {

class Rivals {
 public:
  // All three must outlive the calls. `isa`: the highest that a rival may use.
  Rivals(const Workload& workload, ThreadTeam& team, int threads, Isa isa);

  // Empty, and why, when no loop is written for the workload.
  std::vector<Call> loop_calls(std::string& why_not) const;
  // Copies as many bytes as the elements of the output have. Empty when there are none.
  std::vector<Call> copy_calls() const;
  // Reads the indices, writes the output; touches no table.
  std::vector<Call> stream_calls() const;
  // Loads from the same addresses. Empty when the table fits into registers, a tensor is not dense, or elements are of an odd
  // size.
  std::vector<Call> touch_calls() const;

 private:
  const Workload& workload_;
  ThreadTeam& team_;
  std::vector<int> thread_variants_;
  Isa isa_;
  int64_t output_bytes_;  // of the elements alone, and never more than the buffer has
  int64_t index_bytes_;
};

}  // namespace garner::perf
