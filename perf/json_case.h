// SPDX-License-Identifier: Apache-2.0
// Conformance cases in JSON Lines: one gather with its values and what must come out.
#pragma once

#include <functional>
#include <string>

#include "perf/gather_case.h"

namespace garner::perf {

// Calls `visit` for every case of the file, in order. Throws InputError naming file and line when one is malformed.
void read_json_cases(const std::string& path, const std::function<void(GatherCase&&)>& visit);

}  // namespace garner::perf
