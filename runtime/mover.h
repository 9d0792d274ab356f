// SPDX-License-Identifier: Apache-2.0
// Second half of the copy path: the movers of each ISA, by length of run.
#pragma once

#include <cstdint>

#include "runtime/copy_kernel.h"

namespace garner {

// Runs from here on may be cut into parts: the mover of a long run takes every length from this one up.
inline constexpr int64_t min_part_bytes = 256;

struct NamedMover {
  Mover mover;
  const char* name;
};

// ahead: heeds MoverArgs.prefetch. Each table has movers for all lengths from 1 byte up.
NamedMover portable_mover(int64_t run_bytes, bool ahead);
NamedMover avx2_mover(int64_t run_bytes, bool ahead);
NamedMover avx512_mover(int64_t run_bytes, bool ahead);

// With stores that bypass the caches; stream_fence() orders them. For runs of min_streamed_bytes and more that are
// multiples of streamed_unit, and of min_unaligned_streamed_bytes and more whatever their length. Where an output is not
// aligned to the unit, shorter ones get ordinary stores. x86-64 only.
inline constexpr int64_t min_streamed_bytes = 64;
inline constexpr int64_t streamed_unit = 16;
inline constexpr int64_t min_unaligned_streamed_bytes = 512;
void avx2_rows_nt(const MoverArgs& args);
void avx2_rows_nt_ahead(const MoverArgs& args);
void avx512_rows_nt(const MoverArgs& args);
void avx512_rows_nt_ahead(const MoverArgs& args);
inline bool is_streaming(Mover mover) {
  return mover == avx2_rows_nt || mover == avx2_rows_nt_ahead || mover == avx512_rows_nt ||
         mover == avx512_rows_nt_ahead;
}
void stream_fence();

}  // namespace garner
