// SPDX-License-Identifier: Apache-2.0
// The one read of an index value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/gather_problem.h"

namespace garner {

// The value, sign or zero extended; the bits of a u64. Any alignment.
template <typename Index>
inline int64_t load_index(const std::byte* address) {
  Index value;
  std::memcpy(&value, address, sizeof(value));
  int64_t wide = static_cast<int64_t>(value);
  // The buffer may change at any time. Without this the compiler could read it again between the check and the use.
  asm("" : "+r"(wide));
  return wide;
}

// Calls function(Index{}) with the C++ type of `type`.
template <typename Function>
inline auto with_index_type(IndexType type, Function&& function) {
  switch (type) {
    case IndexType::i8: return function(int8_t{});
    case IndexType::u8: return function(uint8_t{});
    case IndexType::i16: return function(int16_t{});
    case IndexType::u16: return function(uint16_t{});
    case IndexType::i32: return function(int32_t{});
    case IndexType::u32: return function(uint32_t{});
    case IndexType::i64: return function(int64_t{});
    case IndexType::u64: break;
  }
  return function(uint64_t{});
}

}  // namespace garner
