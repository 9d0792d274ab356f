// SPDX-License-Identifier: Apache-2.0
// Explains where an execution stopped: which index is out of bounds, or what the callback returned.
#pragma once

#include "runtime/kernel.h"
#include "src/error.h"
#include "src/operation.h"

namespace garner {

garner_status report_failure(const Operation& operation, const KernelFailure& failure, const ErrorReport& report);

}  // namespace garner
