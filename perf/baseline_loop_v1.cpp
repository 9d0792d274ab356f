// SPDX-License-Identifier: Apache-2.0
// The hand-written loop, compiled for any x86-64.
#include "perf/baseline_loop_body.h"

namespace garner::perf {

LoopFunction baseline_loop_v1(const DenseGather& gather) { return choose_loop(gather); }

}  // namespace garner::perf
