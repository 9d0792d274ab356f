// SPDX-License-Identifier: Apache-2.0
// Random legal calls: every operator, layout, policy and index value that the documents allow.
#pragma once

#include <cstdint>

#include "tests/property/gather_case.h"
#include "tests/property/random.h"

namespace garner_test {

// No buffer of a generated case is larger.
inline constexpr int64_t max_case_bytes = int64_t{1} << 19;

GatherCase random_case(Random& random);

}  // namespace garner_test
