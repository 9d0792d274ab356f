// SPDX-License-Identifier: Apache-2.0
// A planned operation: immutable, self-contained, shared freely between threads.
#pragma once

#include <garner/garner.h>

#include <cstdint>

#include "runtime/execute.h"
#include "src/context.h"
#include "src/operation.h"
#include "src/planner.h"

struct garner_plan {
  garner_context* context;
  garner::Operation operation;
  garner::Decision decision;
  garner::ExecutionPlan execution;
  bool threads_may_pay;  // more than one thread is allowed and may be worth it
  bool is_small;         // one direct kernel call on the calling thread is all there is to an execution
};

namespace garner {

// Plans into memory of the caller's. On success the plan holds a kernel, which close_plan gives back; the
// context's reference count is not touched.
garner_status open_plan(garner_context& context, const garner_op* op, const garner_tensor* data,
                        const garner_tensor* indices, const garner_tensor* output, garner_plan& plan,
                        const ErrorReport& report);
void close_plan(garner_plan& plan);

// A plan in memory of the context's allocator that holds a reference to the context.
garner_status create_plan(garner_context& context, const garner_op* op, const garner_tensor* data,
                          const garner_tensor* indices, const garner_tensor* output, garner_plan** plan,
                          const ErrorReport& report);
void destroy_plan(garner_plan* plan);

}  // namespace garner
