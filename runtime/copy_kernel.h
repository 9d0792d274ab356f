// SPDX-License-Identifier: Apache-2.0
// The copy path: a resolver turns up to kernel_block index tuples into checked offsets on the stack, a mover copies the
// runs. Index type, K and policy live in the resolver only, sizes and store kinds in the mover only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cpu.h"
#include "runtime/kernel.h"

namespace garner {

struct MoverArgs {
  const std::byte* data;   // base that the offsets count from
  const int64_t* offsets;  // one per tuple
  std::byte* output;
  int64_t output_step;  // bytes from one tuple's run to the next one's
  int64_t count;
  int64_t run_bytes;
  int64_t prefetch;  // tuples ahead, 0 for none
};

int64_t copy_kernel(const KernelArgs* args);

// Which mover suits a problem; `name` appears in the plan's kernel name.
struct MoverChoice {
  Mover mover;
  int64_t prefetch;
  const char* name;
};

// data_bytes: extent of what can be addressed; output_bytes: of the whole output, which decides non-temporal stores.
struct MoverHints {
  Isa isa;
  int64_t data_bytes;
  int64_t output_bytes;
  int64_t l2_bytes;
  int64_t llc_bytes;
  bool allow_non_temporal;
  bool allow_prefetch;
};
MoverChoice choose_mover(const GatherProblem& problem, const MoverHints& hints);

}  // namespace garner
