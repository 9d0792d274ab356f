// SPDX-License-Identifier: Apache-2.0
// What a result depends on besides the problem: CPU, caches, system, build, variables.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace garner::perf {

// "GARNER_JIT=off" and so on, as they are set, sorted.
std::vector<std::string> garner_variables();
int usable_cpus();  // of the affinity mask
// The `environment` object of a result.
nlohmann::ordered_json environment_json();
// What hwloc says about packages, cores and NUMA nodes; "" when it is not compiled in.
std::string topology_text();
std::string kernel_release();
std::string system_name();        // "Debian GNU/Linux 12 (bookworm)"
std::string hypervisor();         // "KVMKVMKVM"; "none" on bare metal
std::string gather_mitigation();  // what the kernel says about gather data sampling, whose mitigation slows vpgather
std::string load_average();       // of the last 1, 5 and 15 minutes
std::string transparent_huge_pages();  // "always", "madvise", "never"; "" when unknown

}  // namespace garner::perf
