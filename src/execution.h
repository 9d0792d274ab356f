// SPDX-License-Identifier: Apache-2.0
// Runs a plan on a caller's buffers: checks these, picks threads, and explains a failure.
#pragma once

#include <garner/garner.h>

#include "src/error.h"
#include "src/plan.h"

namespace garner {

garner_status execute_plan(const garner_plan& plan, const garner_args* args, const ErrorReport& report);

}  // namespace garner
