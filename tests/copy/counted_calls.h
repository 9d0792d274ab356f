// SPDX-License-Identifier: Apache-2.0
// How often this program, the library in it included, calls what a small execution has no business to call. The linker puts
// the counting functions between (see CMakeLists.txt); calls from within other shared objects are not seen.
#pragma once

#include <cstdint>

namespace garner_test {

struct CountedCalls {
  int64_t allocations;  // malloc and its kind, operator new
  int64_t mappings;     // mmap, mprotect
  int64_t locks;
  int64_t clocks;
  bool operator==(const CountedCalls&) const = default;
};

// Since the program began.
CountedCalls counted_calls();

}  // namespace garner_test
