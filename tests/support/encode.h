// SPDX-License-Identifier: Apache-2.0
// From the numbers of a JSON case to the bytes of a tensor, exactly.
#pragma once

#include <cstdint>

#include <garner/garner.h>
#include <nlohmann/json.hpp>

#include "tests/support/tensor.h"

namespace garner_test {

// By its name in the case files ("float32", "bool", "complex64" ...); throws for a name that is not known.
garner_dtype dtype_by_name(const std::string& name);

// IEEE binary16 and bfloat16 bits of a value that the type can hold exactly; throws for any other.
uint16_t half_bits(double value);
uint16_t bfloat16_bits(double value);

// Appends one element of any dtype but string. Floats may be numbers or the strings "nan", "inf", "-inf"; complex values are
// pairs. 64-bit integers do not pass through a double. Throws when the value does not fit the type.
void append_element(Bytes& bytes, garner_dtype dtype, const nlohmann::json& value);

}  // namespace garner_test
