// SPDX-License-Identifier: Apache-2.0
// A plan as text, rendered only when somebody asks.
#pragma once

#include <cstdint>

#include "src/plan.h"
#include "src/text.h"

namespace garner {

// The kernel's full name: "gather_x32_loads_i64_k1_wrap_error_flat__avx2", "copy_rows_64_i64_k1_wrap_error__avx2",
// "scalar".
void write_kernel_name(TextWriter& text, const garner_plan& plan);

// One `key=value` per line; docs/api.md lists the keys, whose order is part of the contract.
void write_description(TextWriter& text, const garner_plan& plan, int32_t max_threads);

}  // namespace garner
