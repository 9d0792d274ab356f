// SPDX-License-Identifier: Apache-2.0
// Calls of which everything is made in advance, so that running them shows what the library alone does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <garner/garner.h>

#include "tests/support/handles.h"
#include "tests/support/run.h"

namespace garner_test {

// A way to run: the options of a context of its own.
struct Setup {
  std::string name;
  garner_context_options options;
};
// Every path, body, ISA and form of the copy path that this CPU and build can run, with threads as they are by default.
std::vector<Setup> setups();

// A problem and its answer.
struct Given {
  Problem problem;
  Expected expected;
  int32_t max_threads;
};
// 1 to 512 single elements, slices of many kinds, bad indices.
const std::vector<Given>& given_calls();

class PreparedCalls {
 public:
  // Plans what the context can take.
  explicit PreparedCalls(garner_context* context);
  PreparedCalls(const PreparedCalls&) = delete;
  PreparedCalls& operator=(const PreparedCalls&) = delete;

  size_t size() const { return calls_.size(); }
  // Each once, through garner_plan_execute. The number of the first that went wrong, or -1. Makes no system call, allocates
  // nothing.
  int64_t execute();
  // The same through garner_execute.
  int64_t execute_in_one_call();
  // Makes and destroys a plan of each; the number of the first that failed, or -1. Calls `planned` after each creation.
  template <class Planned>
  int64_t plan_again(Planned planned) {
    for (size_t i = 0; i < calls_.size(); ++i) {
      garner_plan* plan = nullptr;
      const Call& call = calls_[i];
      if (garner_plan_create(context_, &call.given->problem.op, &call.data, &call.indices, nullptr, &plan, nullptr) !=
          GARNER_OK) {
        return static_cast<int64_t>(i);
      }
      planned();
      garner_plan_destroy(plan);
    }
    return -1;
  }

 private:
  struct Call {
    const Given* given;
    garner_tensor data, indices;
    PlanHandle plan;
    Bytes output;
    garner_args args;
  };
  static void spoil(Call& call);
  static bool is_right(const Call& call, garner_status status, const garner_error& error);

  garner_context* context_;
  std::vector<Call> calls_;
};

}  // namespace garner_test
