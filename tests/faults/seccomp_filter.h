// SPDX-License-Identifier: Apache-2.0
// System calls that fail for the rest of a process, as container runtimes and sandboxes make them. For children only.
#pragma once

#include <span>

namespace garner_test {

// mmap and mprotect with PROT_EXEC fail with `error`. False when the system allows no filter.
bool refuse_executable_memory(int error);
// All calls of these numbers fail with `error`.
bool refuse_calls(std::span<const int> numbers, int error);
// Whether the system allows filters, and they do what they say.
bool filters_work();

}  // namespace garner_test
