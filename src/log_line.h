// SPDX-License-Identifier: Apache-2.0
// Lines of the log: what was planned or executed, with the problem string that replays it.
#pragma once

#include <cstdint>

#include "src/plan.h"
#include "src/threads.h"

namespace garner {

// "garner plan PROBLEM path=... kernel=..."
void log_plan(const garner_plan& plan);
// "garner execute PROBLEM path=... kernel=... threads=N shards=N ns=N status=OK"
void log_execution(const garner_plan& plan, const ThreadPlan& threads, int64_t nanoseconds, garner_status status);

}  // namespace garner
