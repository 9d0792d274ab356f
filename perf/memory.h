// SPDX-License-Identifier: Apache-2.0
// Memory that is there, asked for before it is used: the system would end the process instead of refusing.
#pragma once

#include <string>

namespace garner::perf {

// Throws InputError naming `what` and both amounts when `bytes` more than now would leave the system without a margin
// or exceed the process's own limit. A double, because sums of 64-bit sizes need not fit in 64 bits.
void require_memory(double bytes, const std::string& what);

std::string bytes_text(double bytes);  // "9999 bytes", "12.3 MB"

}  // namespace garner::perf
