// SPDX-License-Identifier: Apache-2.0
// Names and sizes of element types.
#pragma once

#include <garner/garner.h>

#include <cstdint>

#include "runtime/gather_problem.h"
#include "src/text.h"

namespace garner {

struct DtypeInfo {
  const char* name;        // NULL: no such type
  const char* short_name;  // in problem strings
  int32_t bytes;           // of one element; 0: none of its own (opaque) or less than a byte
};

// The entry of a number that has no type is all NULL and 0.
DtypeInfo dtype_info(garner_dtype dtype);

bool is_index_dtype(garner_dtype dtype);
// Precondition: is_index_dtype(dtype).
IndexType to_index_type(garner_dtype dtype);

// "f32", "str", "x12": the type as problem strings write it.
void write_short_dtype(TextWriter& text, garner_dtype dtype, int64_t element_bytes);

}  // namespace garner
