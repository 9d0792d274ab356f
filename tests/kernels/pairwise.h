// SPDX-License-Identifier: Apache-2.0
// Few combinations in which every two settings that can meet do meet.
#pragma once

#include <functional>
#include <vector>

namespace garner_test {

// One level per factor.
using Assignment = std::vector<int>;

// Every assignment of the given numbers of levels that is allowed.
std::vector<Assignment> all_assignments(const std::vector<int>& levels,
                                        const std::function<bool(const Assignment&)>& allowed);

// A subset that contains every pair of levels of two factors which occurs in `all` at all. Greedy, deterministic.
std::vector<Assignment> cover_pairs(const std::vector<int>& levels, const std::vector<Assignment>& all);

}  // namespace garner_test
