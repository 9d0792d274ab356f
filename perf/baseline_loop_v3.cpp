// SPDX-License-Identifier: Apache-2.0
// The hand-written loop, compiled for x86-64-v3.
#include "perf/baseline_loop_body.h"

namespace garner::perf {

LoopFunction baseline_loop_v3(const DenseGather& gather) { return choose_loop(gather); }

}  // namespace garner::perf
