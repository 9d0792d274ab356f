// SPDX-License-Identifier: Apache-2.0
// The values of the indices of a problem.
#pragma once

#include <cstdint>
#include <vector>

#include "perf/problem.h"

namespace garner::perf {

// One value per element of indices.shape, row-major, from pattern, negative=, bad= and seed. The problem's shapes
// must fit each other. The values fit the index type; for u64 a value beyond int64 is given as its bits. Throws
// InputError when a pattern's file cannot be used, and Interrupted.
std::vector<int64_t> generate_indices(const Problem& problem);

}  // namespace garner::perf
