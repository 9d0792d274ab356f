// SPDX-License-Identifier: Apache-2.0
// The results of a run as one HTML file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "perf/record.h"

namespace garner::perf {

std::string html_page(const std::vector<Record>& records);

// What makes rows one sweep: the problem without its extents, seed and strides; thread count, cache and pages.
std::string family_of(const Record& record);

}  // namespace garner::perf
