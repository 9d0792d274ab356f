// SPDX-License-Identifier: Apache-2.0
// Calls a kernel and looks at everything that the System V ABI says a function leaves alone.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/kernel.h"
#include "tests/kernels/fault_trap.h"

namespace garner_test {

struct CheckedCall {
  int64_t result;
  Fault fault;             // of the call; the rest means nothing then
  std::string violations;  // empty when the kernel kept the rules
};

// Call-saved registers, MXCSR (set to an unusual value), the direction flag, and that the upper halves of the vector
// registers are zero and, where the CPU can tell, not in use. Needs AVX, and a FaultTrap for faults to come back.
CheckedCall call_checked(garner::KernelFunction function, const garner::KernelArgs& args);

// Whether the CPU tells if upper halves are in use; false means that only their values are looked at.
bool upper_halves_observable();

}  // namespace garner_test
