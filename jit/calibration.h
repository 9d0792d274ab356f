// SPDX-License-Identifier: Apache-2.0
// Whether scalar loads or the gather instruction is faster differs between CPUs and microcode: it is measured, once per process,
// element width and ISA.
#pragma once

#include "runtime/cpu.h"

namespace garner::jit {

// Nanoseconds per element of both bodies on a table of L1 size. 0: not measured in this process.
struct Calibration {
  float loads_ns;
  float hardware_ns;
};

Calibration calibration(int element_bytes, Isa isa);

// Measures now unless it was done; about a tenth of a millisecond. Leaves zeros when code cannot be emitted. Widths other than 4
// and 8 have one body only.
void calibrate(int element_bytes, Isa isa);

// What the measurement says, with a tenth in favour of loads; loads when there is none.
bool hardware_is_faster(int element_bytes, Isa isa);

}  // namespace garner::jit
