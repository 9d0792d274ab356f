// SPDX-License-Identifier: Apache-2.0
// Emits kernels and calibrates before the first plan needs them.
#pragma once

#include <garner/garner.h>

#include <cstdint>

#include "src/context.h"
#include "src/error.h"

namespace garner {

garner_status prepare_kernels(garner_context& context, const garner_op* op, garner_dtype dtype, int64_t element_bytes,
                              garner_dtype index_dtype, int32_t coord_count, const ErrorReport& report);

}  // namespace garner
