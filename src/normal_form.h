// SPDX-License-Identifier: Apache-2.0
// From a checked operation to the one movement of bytes that all operators are.
#pragma once

#include "runtime/gather_problem.h"
#include "src/operation.h"

namespace garner {

// Cannot fail: check_operation has bounded every product that is formed here.
void build_problem(const Operation& operation, GatherProblem& problem);

}  // namespace garner
