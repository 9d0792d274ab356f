// SPDX-License-Identifier: Apache-2.0
// First half of the copy path: blocks of index tuples become checked offsets.
#pragma once

#include <cstdint>

#include "runtime/kernel.h"
#include "runtime/resolve.h"

namespace garner {

// Where the next block of a call begins.
struct ResolverCursor {
  int64_t column;
  int64_t data_at;  // from KernelArgs.data and .indices on
  int64_t index_at;
  bool fits_pairs;  // every axis suits resolver_pairs.h
  Axis axes[max_rank];
};

// Marks the offset of a bad tuple under Bounds::zero; no real offset is that far from its base.
inline constexpr int64_t bad_tuple = INT64_MIN;

// Writes `count` offsets, at most kernel_block, from KernelArgs.data on, and moves the cursor behind them. Returns
// false when a tuple is bad: under Bounds::zero its offset is bad_tuple and the others are right, otherwise no offset
// may be used.
using Resolver = bool (*)(const KernelArgs& args, ResolverCursor& cursor, int64_t count, int64_t* offsets);

Resolver choose_resolver(const GatherProblem& problem);
ResolverCursor start_resolver(const KernelArgs& args);

}  // namespace garner
