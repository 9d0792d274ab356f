// SPDX-License-Identifier: Apache-2.0
// What bench and check run when they are given nothing.
#pragma once

#include <vector>

#include "perf/problem.h"

namespace garner::perf {

// Named workloads of real models and tables, about ten seconds in total.
std::vector<NamedProblem> bench_problems();
// Small problems over all operators, types, index types, depths, policies, layouts, and wrong input of each kind.
std::vector<NamedProblem> check_problems();

}  // namespace garner::perf
