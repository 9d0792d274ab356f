// SPDX-License-Identifier: Apache-2.0
// Resolves two tuples at a time in the vector registers that every x86-64 CPU has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/resolve.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace garner {

// Consecutive tuples of one row, and where their offsets go.
struct Stretch {
  const std::byte* tuple;
  int64_t index_column;
  int64_t data_at;
  int64_t data_column;
  int64_t count;
  int64_t* offsets;
};

// 32 x 32 bit products are exact then: places below 2^31, strides below 2^32.
inline bool fits_pairs(const Axis& axis) {
  constexpr int64_t most_extent = int64_t{1} << 31;
  constexpr int64_t most_stride = (int64_t{1} << 32) - 1;
  return axis.extent <= most_extent && axis.data_stride >= 0 && axis.data_stride <= most_stride;
}

#if defined(__x86_64__)

// Index types whose widening to 64 bit is cheap enough.
template <typename Index>
inline constexpr bool has_pairs = sizeof(Index) >= 4;

// One value each from two places, widened; each is read once, hence the asm (see load_index).
template <typename Index>
inline __m128i load_index_pair(const std::byte* first, const std::byte* second) {
  Index low, high;
  std::memcpy(&low, first, sizeof(low));
  std::memcpy(&high, second, sizeof(high));
  __m128i pair;
  if constexpr (sizeof(Index) == 8) {
    pair = _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
    asm("" : "+x"(pair));
  } else {
    pair =
        _mm_unpacklo_epi32(_mm_cvtsi32_si128(static_cast<int32_t>(low)), _mm_cvtsi32_si128(static_cast<int32_t>(high)));
    asm("" : "+x"(pair));
    const __m128i signs = std::is_signed_v<Index> ? _mm_srai_epi32(pair, 31) : _mm_setzero_si128();
    pair = _mm_unpacklo_epi32(pair, signs);
  }
  return pair;
}

// All 64 bits of a lane become its sign.
inline __m128i sign_lanes(__m128i pair) { return _mm_shuffle_epi32(_mm_srai_epi32(pair, 31), _MM_SHUFFLE(3, 3, 1, 1)); }

// Resolves a stretch. False: a tuple is bad, or negative without `wraps`.
template <typename Index, int K, bool wraps>
[[gnu::noinline]] bool resolve_pairs(const Axis* axes, int coord_count, const Stretch& stretch) {
  const int64_t count = stretch.count, index_column = stretch.index_column, data_column = stretch.data_column;
  const std::byte* tuple = stretch.tuple;
  int64_t* const offsets = stretch.offsets;
  constexpr size_t held = K == 0 ? max_rank : K;
  __m128i wrap[held], last[held], stride[held];
  for (int k = 0; k < coord_count; ++k) {
    wrap[k] = _mm_set1_epi64x(wraps ? axes[k].wrap : 0);
    last[k] = _mm_set1_epi64x(axes[k].extent - 1);
    stride[k] = _mm_set1_epi64x(axes[k].data_stride);
  }
  __m128i base = _mm_set_epi64x(stretch.data_at + (count > 1 ? data_column : 0), stretch.data_at);
  const __m128i base_step = _mm_set1_epi64x(2 * data_column);
  __m128i bad = _mm_setzero_si128();  // the sign of a lane tells
  const auto resolve_two = [&](const std::byte* first, const std::byte* second) {
    __m128i offset = base;
    for (int k = 0; k < coord_count; ++k) {
      const int64_t at = axes[k].index_stride;
      const __m128i value = load_index_pair<Index>(first + at, second + at);
      const __m128i place = wraps ? _mm_add_epi64(value, _mm_and_si128(sign_lanes(value), wrap[k])) : value;
      bad = _mm_or_si128(bad, _mm_or_si128(place, _mm_sub_epi64(last[k], place)));
      offset = _mm_add_epi64(offset, _mm_mul_epu32(place, stride[k]));
    }
    return offset;
  };
  int64_t i = 0;
#pragma GCC unroll 2
  for (; i + 2 <= count; i += 2) {
    const __m128i offset = resolve_two(tuple, tuple + index_column);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(offsets + i), offset);
    tuple += 2 * index_column;
    base = _mm_add_epi64(base, base_step);
  }
  if (i < count) offsets[i] = _mm_cvtsi128_si64(resolve_two(tuple, tuple));
  return _mm_movemask_pd(_mm_castsi128_pd(bad)) == 0;
}

#else

template <typename Index>
inline constexpr bool has_pairs = false;
template <typename Index, int K, bool wraps>
bool resolve_pairs(const Axis*, int, const Stretch&) {
  return false;
}

#endif

}  // namespace garner
