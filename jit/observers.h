// SPDX-License-Identifier: Apache-2.0
// Makes emitted code visible to people and profilers, when asked to.
#pragma once

#include <cstddef>

#include "jit/kernel_cache.h"
#include "jit/kernel_key.h"

namespace garner::jit {

// Failures are ignored: looking at code must never change what the library does.
void announce(const Observers& observers, const KernelKey& key, const void* code, size_t bytes);

}  // namespace garner::jit
