// SPDX-License-Identifier: Apache-2.0
#include "perf/element_type.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace garner::perf {
namespace {

struct NamedType {
  std::string_view name;
  garner_dtype dtype;
};

constexpr std::array named_types = {
    NamedType{"bool", GARNER_BOOL},         NamedType{"i8", GARNER_INT8},
    NamedType{"u8", GARNER_UINT8},          NamedType{"i16", GARNER_INT16},
    NamedType{"u16", GARNER_UINT16},        NamedType{"i32", GARNER_INT32},
    NamedType{"u32", GARNER_UINT32},        NamedType{"i64", GARNER_INT64},
    NamedType{"u64", GARNER_UINT64},        NamedType{"f16", GARNER_FLOAT16},
    NamedType{"bf16", GARNER_BFLOAT16},     NamedType{"f32", GARNER_FLOAT32},
    NamedType{"f64", GARNER_FLOAT64},       NamedType{"c64", GARNER_COMPLEX64},
    NamedType{"c128", GARNER_COMPLEX128},   NamedType{"f8", GARNER_FLOAT8E4M3FN},
    NamedType{"f8", GARNER_FLOAT8E4M3FNUZ}, NamedType{"f8", GARNER_FLOAT8E5M2},
    NamedType{"f8", GARNER_FLOAT8E5M2FNUZ}, NamedType{"f8", GARNER_FLOAT8E8M0},
    NamedType{"str", GARNER_STRING},
};

}  // namespace

int64_t ElementType::bytes() const { return element_bytes != 0 ? element_bytes : garner_dtype_bytes(dtype); }

bool ElementType::is_integer() const {
  switch (dtype) {
    case GARNER_INT8:
    case GARNER_UINT8:
    case GARNER_INT16:
    case GARNER_UINT16:
    case GARNER_INT32:
    case GARNER_UINT32:
    case GARNER_INT64:
    case GARNER_UINT64: return true;
    default: return false;
  }
}

bool ElementType::is_signed_integer() const {
  return dtype == GARNER_INT8 || dtype == GARNER_INT16 || dtype == GARNER_INT32 || dtype == GARNER_INT64;
}

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (const NamedType& type : named_types) {
    if (type.name == name) return ElementType{type.dtype, 0};
  }
  if (name.size() >= 2 && name[0] == 'x') {
    int64_t bytes = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bytes);
    if (error == std::errc{} && end == name.data() + name.size() && bytes >= 1 && bytes <= 65535) {
      return ElementType{GARNER_OPAQUE, bytes};
    }
  }
  return std::nullopt;
}

std::string short_name(const ElementType& type) {
  if (type.dtype == GARNER_OPAQUE) return fmt::format("x{}", type.element_bytes);
  for (const NamedType& named : named_types) {
    if (named.dtype == type.dtype) return std::string(named.name);
  }
  return fmt::format("dtype{}", type.dtype);
}

const char* element_type_names() {
  return "bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, c64, c128, f8, str, or xN for N opaque "
         "bytes, "
         "1..65535";
}

int64_t lowest_index(garner_dtype dtype) {
  switch (dtype) {
    case GARNER_INT8: return std::numeric_limits<int8_t>::min();
    case GARNER_INT16: return std::numeric_limits<int16_t>::min();
    case GARNER_INT32: return std::numeric_limits<int32_t>::min();
    case GARNER_INT64: return std::numeric_limits<int64_t>::min();
    default: return 0;
  }
}

int64_t highest_index(garner_dtype dtype) {
  switch (dtype) {
    case GARNER_INT8: return std::numeric_limits<int8_t>::max();
    case GARNER_UINT8: return std::numeric_limits<uint8_t>::max();
    case GARNER_INT16: return std::numeric_limits<int16_t>::max();
    case GARNER_UINT16: return std::numeric_limits<uint16_t>::max();
    case GARNER_INT32: return std::numeric_limits<int32_t>::max();
    case GARNER_UINT32: return std::numeric_limits<uint32_t>::max();
    default: return std::numeric_limits<int64_t>::max();
  }
}

}  // namespace garner::perf
