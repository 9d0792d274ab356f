// SPDX-License-Identifier: Apache-2.0
// Portable kernel for every GatherProblem; the reference that all other kernels are compared with.
#pragma once

#include "runtime/kernel.h"

namespace garner {

// Handles any index type, K, policy, slice nest and element kind. Checks each value after its only read.
int64_t scalar_kernel(const KernelArgs* args);

}  // namespace garner
