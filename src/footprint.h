// SPDX-License-Identifier: Apache-2.0
// Which bytes of its buffer a tensor can touch.
#pragma once

#include <garner/garner.h>

#include <cstdint>

#include "src/error.h"
#include "src/tensor.h"

namespace garner {

// The bytes [low, high) from the buffer's start that the full declared shape reaches; empty for an empty tensor.
struct Footprint {
  int64_t low;
  int64_t high;
  bool empty() const { return low == high; }
  int64_t bytes() const { return high - low; }
};

// Fails when strides or offset lead beyond what an int64 can address.
garner_status find_footprint(const Tensor& tensor, int32_t argument, Footprint& footprint, const ErrorReport& report);

// Every element of the output has a place of its own: sorted by magnitude, each stride is at least the span of all
// below it.
garner_status check_distinct(const Tensor& output, const ErrorReport& report);

// The footprint lies inside a buffer of `buffer_bytes` bytes. NULL is a buffer only for an empty footprint.
garner_status check_buffer(const void* buffer, size_t buffer_bytes, const Footprint& footprint, int32_t argument,
                           const ErrorReport& report);

// Whether check_buffer finds nothing wrong; in every call, hence here.
inline bool fits_buffer(const void* buffer, size_t buffer_bytes, const Footprint& footprint) {
  return (buffer != nullptr && footprint.low >= 0 && static_cast<uint64_t>(footprint.high) <= buffer_bytes) ||
         footprint.empty();
}

inline bool overlap(const void* buffer_a, const Footprint& a, const void* buffer_b, const Footprint& b) {
  const auto start_a = reinterpret_cast<uintptr_t>(buffer_a);
  const auto start_b = reinterpret_cast<uintptr_t>(buffer_b);
  return start_a + static_cast<uintptr_t>(a.low) < start_b + static_cast<uintptr_t>(b.high) &&
         start_b + static_cast<uintptr_t>(b.low) < start_a + static_cast<uintptr_t>(a.high) && !a.empty() && !b.empty();
}

}  // namespace garner
