// SPDX-License-Identifier: Apache-2.0
// Which sizes of the caller's structs are understood, so that hosts built against an older or a newer header work.
#pragma once

#include <garner/garner.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/error.h"

namespace garner {

// Size of each struct in the first released header; these numbers never change.
template <class Struct>
inline constexpr size_t version_1_bytes = 0;
template <>
inline constexpr size_t version_1_bytes<garner_op> = 32;
template <>
inline constexpr size_t version_1_bytes<garner_tensor> = 48;
template <>
inline constexpr size_t version_1_bytes<garner_error> = 312;
template <>
inline constexpr size_t version_1_bytes<garner_executor> = 32;
template <>
inline constexpr size_t version_1_bytes<garner_args> = 80;
template <>
inline constexpr size_t version_1_bytes<garner_context_options> = 96;

// A size beyond this is taken for an uninitialized field, not for a newer header.
inline constexpr size_t largest_struct_bytes = 4096;

// Whether the caller's struct_size is one that this library understands: a larger struct is when everything beyond this
// header's size is zero.
template <class Struct>
bool is_known_size(const Struct& given) {
  static_assert(version_1_bytes<Struct> != 0 && version_1_bytes<Struct> <= sizeof(Struct));
  const size_t bytes = given.struct_size;
  if (bytes < version_1_bytes<Struct> || bytes > largest_struct_bytes) return false;
  const auto* source = reinterpret_cast<const unsigned char*>(&given);
  for (size_t i = sizeof(Struct); i < bytes; ++i) {
    if (source[i] != 0) return false;
  }
  return true;
}

// Copies the caller's struct over `full`, which holds the defaults. A smaller struct keeps the defaults of what it
// lacks. False: the size is not known.
template <class Struct>
bool copy_versioned(const Struct& given, Struct& full) {
  if (!is_known_size(given)) return false;
  std::memcpy(&full, &given, std::min<size_t>(given.struct_size, sizeof(Struct)));
  full.struct_size = static_cast<uint32_t>(sizeof(Struct));
  return true;
}

// The same with a NULL check and both failures reported; `name` is what the text calls the struct.
template <class Struct>
garner_status accept_struct(const Struct* given, int32_t argument, const char* name, Struct& full,
                            const ErrorReport& report) {
  if (given == nullptr) return report.fail(GARNER_INVALID_ARGUMENT, argument, name, " is NULL");
  if (copy_versioned(*given, full)) return GARNER_OK;
  return report.fail(GARNER_VERSION, argument, "struct_size of ", name, " is ", uint64_t{given->struct_size},
                     "; it must be at least ", uint64_t{version_1_bytes<Struct>}, ", and all beyond ",
                     uint64_t{sizeof(Struct)}, " bytes zero");
}

}  // namespace garner
