// SPDX-License-Identifier: Apache-2.0
// Runs a gather on every path, body and ISA that can take it, at several thread counts, and compares all of them with
// the scalar path on one thread, and that one with what must come out where it is known.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "perf/gather_case.h"
#include "perf/runner.h"
#include "perf/thread_team.h"

namespace garner::perf {

class Checker {
 public:
  Checker();

  struct Result {
    std::vector<std::string> faults;  // one line each; empty when all was right
    std::string refusal;              // the library's text when nothing ran because planning failed
  };
  Result check(const GatherCase& gather_case);
  // Per path, body and ISA: how many runs there were and how many cases did not apply.
  void print_counts() const;
  int64_t runs() const;

 private:
  struct Variant {
    std::string path;
    std::string body;
    std::string isa;
    std::string note;
    std::unique_ptr<Context> context;  // null: the CPU lacks the ISA
    int64_t runs = 0;
    int64_t sharded = 0;  // runs that were cut into more than one shard
    int64_t cases = 0;
    int64_t refused = 0;  // plans refused with the same status as on the scalar path
    int64_t not_applicable = 0;
  };
  struct Outcome;
  class CaseRun;

  void add(const char* path, const char* body, const char* isa, const char* note, Choice choice);

  std::array<std::unique_ptr<ThreadTeam>, 2> teams_;
  std::unique_ptr<Context> reference_;
  std::vector<Variant> variants_;
  Variant owning_;
  bool has_avx2_ = false;
  bool has_avx512_ = false;
};

}  // namespace garner::perf
