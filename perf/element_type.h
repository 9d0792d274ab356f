// SPDX-License-Identifier: Apache-2.0
// Element types by the short names of problem strings.
#pragma once

#include <garner/garner.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace garner::perf {

struct ElementType {
  garner_dtype dtype = GARNER_FLOAT32;
  int64_t element_bytes = 0;  // as in garner_tensor: only GARNER_OPAQUE needs it

  int64_t bytes() const;  // of one element in memory
  bool is_integer() const;
  bool is_signed_integer() const;
  bool operator==(const ElementType&) const = default;
};

// "f32", "i64", "x12" and so on; nothing when the name is unknown or an opaque size is outside 1..65535.
std::optional<ElementType> parse_element_type(std::string_view name);
std::string short_name(const ElementType& type);
// "bool, i8, ..." for messages.
const char* element_type_names();

// Lowest and highest value of an integer type; the highest of u64 is returned as INT64_MAX.
int64_t lowest_index(garner_dtype dtype);
int64_t highest_index(garner_dtype dtype);

}  // namespace garner::perf
