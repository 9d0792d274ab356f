// SPDX-License-Identifier: Apache-2.0
// Chooses the path of a problem: jit, copy or scalar, and knows why not the others.
#pragma once

#include <cstdint>

#include "jit/kernel_cache.h"
#include "jit/kernel_key.h"
#include "runtime/execute.h"
#include "src/context.h"
#include "src/error.h"
#include "src/operation.h"

namespace garner {

enum class Path : uint8_t { jit, copy, scalar };
inline constexpr int path_count = 3;
const char* path_name(Path path);

struct Decision {
  Path path;
  Isa isa;                           // of the kernel that runs
  const char* reason;                // why this path; static storage, as all of these
  const char* refusals[path_count];  // by Path: why not this one; NULL for the one taken
  jit::KernelKey key;                // where there is a kernel
  jit::Kernel* kernel;     // jit, and copy of short slices: a reference that the owner of the decision gives back
  const char* mover_name;  // copy without an emitted kernel
};

// Fills decision and execution from operation and execution.problem. A path that the context forces and that
// cannot take the problem is GARNER_UNSUPPORTED; on any failure no kernel is held.
garner_status choose_path(garner_context& context, const Operation& operation, Decision& decision,
                          ExecutionPlan& execution, const ErrorReport& report);

}  // namespace garner
