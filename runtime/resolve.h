// SPDX-License-Identifier: Apache-2.0
// From an index value to a place on its axis: wrap, check, policy. The only place that knows these rules.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/gather_problem.h"

namespace garner {

// One coordinate as the check sees it.
struct Axis {
  int64_t extent;
  int64_t wrap;  // what a negative value gains: the extent, or 0 when it is rejected or cannot occur
  int64_t data_stride;
  int64_t index_stride;
};

inline Axis make_axis(const Coord& coord, const GatherProblem& problem) {
  const bool wraps = problem.negative == Negative::wrap && index_is_signed(problem.index_type);
  return {coord.extent, wraps ? coord.extent : 0, coord.data_stride, coord.index_stride};
}

// The value after wrapping. Cannot overflow: only a negative value gains something, and that is not negative.
inline int64_t wrapped(int64_t value, const Axis& axis) { return value + ((value >> 63) & axis.wrap); }

// Whether a wrapped value lies on the axis. A negative one, or a u64 from 2^63 on, is huge when seen as unsigned.
inline bool on_axis(int64_t place, const Axis& axis) {
  return static_cast<uint64_t>(place) < static_cast<uint64_t>(axis.extent);
}

// The end of the axis nearest to a wrapped value that is not on it; the axis must not be empty.
template <typename Index>
inline int64_t clamped(int64_t place, const Axis& axis) {
  return std::is_signed_v<Index> && place < 0 ? 0 : axis.extent - 1;
}

}  // namespace garner
