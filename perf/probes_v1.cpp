// SPDX-License-Identifier: Apache-2.0
// The probes, compiled for any x86-64.
#include "perf/probes_body.h"

namespace garner::perf {

ProbeSet probes_v1(const DenseGather& gather) { return choose_probes(gather); }

}  // namespace garner::perf
