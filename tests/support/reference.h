// SPDX-License-Identifier: Apache-2.0
// The operators written down from their texts as plainly as possible, sharing nothing with the library.
#pragma once

#include "tests/support/run.h"

namespace garner_test {

// The right answer for a problem whose shapes, types and attributes are legal.
Expected reference(const Problem& problem);

// The value of element `number` (row-major) of dense integer bytes; holds every 64-bit type.
__extension__ using Wide = __int128;
Wide index_value(const Bytes& dense_bytes, garner_dtype dtype, int64_t number);

}  // namespace garner_test
