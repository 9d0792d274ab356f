// SPDX-License-Identifier: Apache-2.0
// What is right for a workload: the answer of the tool's own scalar path.
#pragma once

#include "perf/runner.h"
#include "perf/tensor.h"
#include "perf/workload.h"

namespace garner::perf {

// Throws InputError, with the library's own text, when the workload is refused.
Plan plan_of(const Context& context, const Workload& workload);

// A buffer like the workload's output, zeroed and then written by the scalar path on one thread. Throws InputError when that
// path refuses the workload or finds a bad index.
Buffer reference_output(const Workload& workload, Pages pages);

}  // namespace garner::perf
