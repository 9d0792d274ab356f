// SPDX-License-Identifier: Apache-2.0
// The forms of the copy path, each forced by a context of its own, and how their kernels are told by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <garner/garner.h>

#include "tests/support/handles.h"

namespace garner_test {

enum class Copying {
  by_default,  // emitted kernels where there are any
  movers,      // resolver and mover, in blocks
  streamed,    // the same, in a context whose caches are too small for any output
};

struct CopyForm {
  Copying copying;
  int32_t isa;  // GARNER_ISA_...
};
std::string name(const CopyForm& form);  // "movers-avx2"

// All forms that this CPU and build can run.
std::vector<CopyForm> copy_forms();
// Names of those that they cannot, for reports; empty when there are none.
std::string absent_copy_forms();

// path AUTO leaves the slices that are as wide as an element to the jit path.
garner_context_options options_for(const CopyForm& form, int32_t path);
// A shared context made with them, for one thread; lives as long as the process.
garner_context* context_for(const CopyForm& form, int32_t path);

// Data beyond this many bytes is prefetched whatever its slices, if these are of 65 to 4096 bytes.
int64_t bytes_near();

// What of a kernel's name is the same for all index types and policies: "copy_rows_33_64__avx2", "copy_slices__avx2".
std::string kernel_family(const std::string& kernel);

// Why `kernel` is not the one that docs/design.md promises for dense slices of so many bytes; empty: it is. far: the table is
// larger than bytes_near().
std::string wrong_kernel(const std::string& kernel, const CopyForm& form, int32_t path, int64_t slice_bytes, bool far);

// How often each family of kernels was executed.
using Families = std::map<std::string, int64_t>;
std::string to_text(const Families& families);

}  // namespace garner_test
