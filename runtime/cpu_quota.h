// SPDX-License-Identifier: Apache-2.0
// How many CPUs the system lets this process use.
#pragma once

#include <cstdint>

namespace garner {

// CPUs of the machine, be it a virtual one.
int32_t online_cpus();
// CPUs in the calling thread's affinity mask; INT32_MAX when unknown. One system call.
int32_t affinity_cpus();
// CPUs of the cgroup's quota (version 1 or 2, the group itself and those around it), rounded up; INT32_MAX without one.
// Reads the system's files at the first call only.
int32_t quota_cpus();

}  // namespace garner
