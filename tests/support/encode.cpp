// SPDX-License-Identifier: Apache-2.0
#include "tests/support/encode.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace garner_test {
namespace {

template <class T>
void append(Bytes& bytes, T value) {
  const auto* first = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

double real_number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::runtime_error("not a number: " + text);
}

template <class T>
T integer(const nlohmann::json& value) {
  if (!value.is_number_integer()) throw std::runtime_error("not an integer: " + value.dump());
  if (value.is_number_unsigned()) {
    const uint64_t number = value.get<uint64_t>();
    if (!std::in_range<T>(number)) throw std::runtime_error("out of the type's range: " + value.dump());
    return static_cast<T>(number);
  }
  const int64_t number = value.get<int64_t>();
  if (!std::in_range<T>(number)) throw std::runtime_error("out of the type's range: " + value.dump());
  return static_cast<T>(number);
}

}  // namespace

garner_dtype dtype_by_name(const std::string& name) {
  for (garner_dtype dtype = 1; dtype <= GARNER_BFLOAT16; ++dtype) {
    if (name == garner_dtype_name(dtype)) return dtype;
  }
  throw std::runtime_error("unknown dtype " + name);
}

uint16_t half_bits(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7E00;
  if (std::isinf(value)) return static_cast<uint16_t>(sign | 0x7C00);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);        // magnitude = f * 2^exponent, f in [0.5, 1)
  exponent = std::max(exponent - 1, -14);  // of the leading bit; below it: denormal
  const double units = std::ldexp(magnitude, 10 - exponent);
  if (units != std::floor(units) || exponent > 15) throw std::runtime_error("no float16: " + std::to_string(value));
  const auto mantissa = static_cast<uint32_t>(units);  // up to 11 bits; bit 10 is the implied one
  const uint32_t biased = mantissa >= 1024 ? static_cast<uint32_t>(exponent + 15) : 0;
  return static_cast<uint16_t>(sign | biased << 10 | (mantissa & 1023));
}

uint16_t bfloat16_bits(double value) {
  if (std::isnan(value)) return 0x7FC0;
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if ((bits & 0xFFFF) != 0) throw std::runtime_error("no bfloat16: " + std::to_string(value));
  return static_cast<uint16_t>(bits >> 16);
}

void append_element(Bytes& bytes, garner_dtype dtype, const nlohmann::json& value) {
  switch (dtype) {
    case GARNER_BOOL: return append<uint8_t>(bytes, value.get<bool>() ? 1 : 0);
    case GARNER_INT8: return append(bytes, integer<int8_t>(value));
    case GARNER_UINT8: return append(bytes, integer<uint8_t>(value));
    case GARNER_INT16: return append(bytes, integer<int16_t>(value));
    case GARNER_UINT16: return append(bytes, integer<uint16_t>(value));
    case GARNER_INT32: return append(bytes, integer<int32_t>(value));
    case GARNER_UINT32: return append(bytes, integer<uint32_t>(value));
    case GARNER_INT64: return append(bytes, integer<int64_t>(value));
    case GARNER_UINT64: return append(bytes, integer<uint64_t>(value));
    case GARNER_FLOAT16: return append(bytes, half_bits(real_number(value)));
    case GARNER_BFLOAT16: return append(bytes, bfloat16_bits(real_number(value)));
    case GARNER_FLOAT32: return append(bytes, static_cast<float>(real_number(value)));
    case GARNER_FLOAT64: return append(bytes, real_number(value));
    case GARNER_COMPLEX64:
      append(bytes, static_cast<float>(real_number(value.at(0))));
      return append(bytes, static_cast<float>(real_number(value.at(1))));
    case GARNER_COMPLEX128: append(bytes, real_number(value.at(0))); return append(bytes, real_number(value.at(1)));
    default: throw std::runtime_error("no values of this dtype in case files");
  }
}

}  // namespace garner_test
