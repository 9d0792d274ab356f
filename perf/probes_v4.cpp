// SPDX-License-Identifier: Apache-2.0
// The probes, compiled for x86-64-v4.
#include "perf/probes_body.h"

namespace garner::perf {

ProbeSet probes_v4(const DenseGather& gather) { return choose_probes(gather); }

}  // namespace garner::perf
