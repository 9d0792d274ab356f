// SPDX-License-Identifier: Apache-2.0
#include "runtime/resolver.h"

#include <algorithm>

#include "runtime/load_index.h"
#include "runtime/resolver_pairs.h"

namespace garner {
namespace {

// K: coordinates of a tuple, 0 for any number. Offsets are computed as unsigned: those of bad tuples may wrap, and are
// thrown away.
template <typename Index, int K, Bounds bounds>
bool resolve_stretch(const Axis* axes, int coord_count, const Stretch& stretch) {
  const std::byte* tuple = stretch.tuple;
  uint64_t data_at = static_cast<uint64_t>(stretch.data_at);
  bool good = true;
  for (int64_t i = 0; i < stretch.count; ++i) {
    uint64_t offset = data_at;
    bool tuple_good = true;
    for (int k = 0; k < coord_count; ++k) {
      int64_t place = wrapped(load_index<Index>(tuple + axes[k].index_stride), axes[k]);
      const bool inside = on_axis(place, axes[k]);
      if constexpr (bounds == Bounds::clamp) {
        place = inside ? place : clamped<Index>(place, axes[k]);
        tuple_good &= axes[k].extent != 0;  // else there is nothing to clamp to
      } else {
        tuple_good &= inside;
      }
      offset += static_cast<uint64_t>(place) * static_cast<uint64_t>(axes[k].data_stride);
    }
    if constexpr (bounds == Bounds::zero) offset = tuple_good ? offset : static_cast<uint64_t>(bad_tuple);
    stretch.offsets[i] = static_cast<int64_t>(offset);
    good &= tuple_good;
    tuple += stretch.index_column;
    data_at += static_cast<uint64_t>(stretch.data_column);
  }
  return good;
}

template <typename Index, int K, Bounds bounds>
bool resolve_block(const KernelArgs& args, ResolverCursor& cursor, int64_t count, int64_t* offsets) {
  const int coord_count = K == 0 ? args.problem->coord_count : K;
  // A local copy can live in registers; the compiler cannot prove that `offsets` leaves the cursor alone.
  Axis local[static_cast<size_t>(K == 0 ? 1 : K)];
  if constexpr (K != 0) std::copy_n(cursor.axes, K, local);
  const Axis* const axes = K == 0 ? cursor.axes : local;

  bool good = true;
  while (count > 0) {
    const int64_t length = std::min(count, args.columns - cursor.column);
    const Stretch stretch{
        args.indices + cursor.index_at, args.index_column, cursor.data_at, args.data_column, length, offsets};
    bool done = false;
    if constexpr (has_pairs<Index>) {
      // Where one loop fails, the next slower one reads everything again and checks what it read.
      if (cursor.fits_pairs) {
        done = resolve_pairs<Index, K, false>(axes, coord_count, stretch);
        if (!done && axes[0].wrap != 0) done = resolve_pairs<Index, K, true>(axes, coord_count, stretch);
      }
    }
    if (!done) good &= resolve_stretch<Index, K, bounds>(axes, coord_count, stretch);
    offsets += length;
    count -= length;
    cursor.column += length;
    cursor.index_at += length * args.index_column;
    cursor.data_at += length * args.data_column;
    if (cursor.column == args.columns) {
      cursor.column = 0;
      cursor.index_at += args.index_carry;
      cursor.data_at += args.data_carry;
    }
  }
  return good;
}

template <typename Index, Bounds bounds>
Resolver with_coord_count(int coord_count) {
  switch (coord_count) {
    case 1: return resolve_block<Index, 1, bounds>;
    case 2: return resolve_block<Index, 2, bounds>;
    case 3: return resolve_block<Index, 3, bounds>;
    case 4: return resolve_block<Index, 4, bounds>;
    default: return resolve_block<Index, 0, bounds>;
  }
}

template <typename Index>
Resolver with_bounds(const GatherProblem& problem) {
  switch (problem.bounds) {
    case Bounds::error: return with_coord_count<Index, Bounds::error>(problem.coord_count);
    case Bounds::clamp: return with_coord_count<Index, Bounds::clamp>(problem.coord_count);
    case Bounds::zero: break;
  }
  return with_coord_count<Index, Bounds::zero>(problem.coord_count);
}

}  // namespace

Resolver choose_resolver(const GatherProblem& problem) {
  return with_index_type(problem.index_type, [&](auto index) { return with_bounds<decltype(index)>(problem); });
}

ResolverCursor start_resolver(const KernelArgs& args) {
  ResolverCursor cursor;
  cursor.column = args.column;
  cursor.data_at = 0;
  cursor.index_at = 0;
  cursor.fits_pairs = true;
  for (int k = 0; k < args.problem->coord_count; ++k) {
    cursor.axes[k] = make_axis(args.coords[k], *args.problem);
    cursor.fits_pairs = cursor.fits_pairs && fits_pairs(cursor.axes[k]);
  }
  return cursor;
}

}  // namespace garner
