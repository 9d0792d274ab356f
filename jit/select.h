// SPDX-License-Identifier: Apache-2.0
// Which emitted kernel suits a problem, or why none does.
#pragma once

#include <cstdint>

#include "jit/kernel_key.h"
#include "runtime/cpu.h"
#include "runtime/gather_problem.h"

namespace garner::jit {

struct Preferences {
  Isa isa;  // what may be used: the CPU's, capped by the options
  bool vbmi;
  bool body_forced;  // forced_body is used, or nothing is
  Body forced_body;
  bool calibrate;  // false: `loads` wherever it applies
  bool allow_table;
  bool allow_hardware;
  bool detect_rows;
  bool allow_folding;
  bool allow_slices;
  bool allow_prefetch;
  int64_t l2_bytes;
  int64_t llc_bytes;
};

struct Selection {
  bool taken;
  KernelKey key;
  const char* reason;  // why this kernel, or why none; static storage
};

// Pure apart from the calibration, which runs at most once per process, width and ISA.
Selection select_kernel(const GatherProblem& problem, const Preferences& preferences);

// The emitted kernel of the copy path, or why there is none.
Selection select_slices(const GatherProblem& problem, const Preferences& preferences);

// Whether a problem suits the jit path when it is not forced: dense slices of 1, 2, 4, 8 or 16 bytes.
bool suits_jit(const GatherProblem& problem);

}  // namespace garner::jit
