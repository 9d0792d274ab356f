// SPDX-License-Identifier: Apache-2.0
// What bench and check run when they are given nothing.
#pragma once

#include <string>
#include <vector>

#include "perf/problem.h"

namespace garner::perf {

// Named workloads of real models and tables, about ten seconds in total.
std::vector<NamedProblem> bench_problems();
// Those of the files and then the given ones; bench_problems() when there are neither.
std::vector<NamedProblem> problems_of(const std::vector<std::string>& texts, const std::vector<std::string>& files);
// Small problems over all operators, types, index types, depths, policies, layouts, and indices that are wrong.
std::vector<NamedProblem> check_problems();
// Wrong shapes, attributes and types: no plan may be made of them.
std::vector<NamedProblem> refused_problems();

}  // namespace garner::perf
