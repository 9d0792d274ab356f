// SPDX-License-Identifier: Apache-2.0
// Calls by which the library gets memory, each of which can be made to fail. Only calls of the watching thread count, and
// only while it watches.
#pragma once

#include <cstdint>

namespace garner_test {

enum class Call { allocation, operator_new, map, protect };
inline constexpr Call all_calls[] = {Call::allocation, Call::operator_new, Call::map, Call::protect};
const char* name(Call call);

// While one lives, call number `failing` (from 0) of the kind fails; none when negative. Not to be nested.
class Watch {
 public:
  Watch() : Watch(Call::allocation, -1, 0) {}
  Watch(Call call, int64_t failing, int error);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

// Of the last watches, since reset(): calls of the kind, whether one failed, and what was not given back.
struct Watched {
  int64_t calls = 0;
  bool failed = false;
  int64_t held_blocks = 0;
  int64_t held_mapped_bytes = 0;
};
void reset_watched();
const Watched& watched();

}  // namespace garner_test
