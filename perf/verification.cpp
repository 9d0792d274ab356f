// SPDX-License-Identifier: Apache-2.0
#include "perf/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace garner::perf {
namespace {

template <class T>
T value_at(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// Bytes as they lie in memory, and the number that they are where a format has one.
std::string element_text(const ElementType& type, const std::byte* p) {
  constexpr int64_t shown = 16;
  std::string bytes;
  for (int64_t i = 0; i < std::min(type.bytes(), shown); ++i) {
    bytes += fmt::format("{}{:02x}", i == 0 ? "" : " ", static_cast<unsigned>(p[i]));
  }
  if (type.bytes() > shown) bytes += " ...";
  std::string number;
  switch (type.dtype) {
    case GARNER_FLOAT32: number = fmt::format("{}", value_at<float>(p)); break;
    case GARNER_FLOAT64: number = fmt::format("{}", value_at<double>(p)); break;
    case GARNER_INT8: number = fmt::format("{}", value_at<int8_t>(p)); break;
    case GARNER_UINT8: number = fmt::format("{}", value_at<uint8_t>(p)); break;
    case GARNER_INT16: number = fmt::format("{}", value_at<int16_t>(p)); break;
    case GARNER_UINT16: number = fmt::format("{}", value_at<uint16_t>(p)); break;
    case GARNER_INT32: number = fmt::format("{}", value_at<int32_t>(p)); break;
    case GARNER_UINT32: number = fmt::format("{}", value_at<uint32_t>(p)); break;
    case GARNER_INT64: number = fmt::format("{}", value_at<int64_t>(p)); break;
    case GARNER_UINT64: number = fmt::format("{}", value_at<uint64_t>(p)); break;
    default: return fmt::format("(bytes {})", bytes);
  }
  return fmt::format("{} (bytes {})", number, bytes);
}

}  // namespace

std::string first_difference(const Tensor& output, const std::byte* got, const std::byte* right) {
  const int64_t total = output.buffer_bytes();
  if (total == 0 || std::memcmp(got, right, to_size(total)) == 0) return "";
  const size_t width = to_size(output.type.bytes());
  const std::vector<int64_t> strides = output.element_strides();
  std::vector<int64_t> place(output.shape.size());
  const int64_t count = output.element_count();
  for (int64_t element = 0; element < count; ++element) {
    int64_t offset = 0;
    for (size_t d = 0; d < place.size(); ++d) offset += place[d] * strides[d];
    offset = output.byte_offset + offset * to_int(width);
    if (std::memcmp(got + offset, right + offset, width) != 0) {
      return fmt::format("output[{}] (element {} of {}) is {}, must be {}", fmt::join(place, ","), element, count,
                         element_text(output.type, got + offset), element_text(output.type, right + offset));
    }
    for (size_t d = place.size(); d-- > 0 && ++place[d] == output.shape[d];) place[d] = 0;
  }
  const auto byte = std::mismatch(got, got + total, right).first - got;
  return fmt::format("byte {} of the output's buffer, which belongs to no element, was written", byte);
}

}  // namespace garner::perf
