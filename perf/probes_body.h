// SPDX-License-Identifier: Apache-2.0
// The ceilings: how fast this machine copies the output, streams indices and output, and loads from the same addresses.
// Included by one file per ISA level; everything has internal linkage.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "perf/dense_gather.h"

namespace garner::perf {
namespace {

#if defined(__AVX512F__)
using Vector = __m512i;
inline Vector load(const std::byte* p) { return _mm512_loadu_si512(p); }
inline void store(std::byte* p, Vector v) { _mm512_storeu_si512(p, v); }
inline void stream(std::byte* p, Vector v) { _mm512_stream_si512(reinterpret_cast<Vector*>(p), v); }
inline Vector add(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
#elif defined(__AVX2__)
using Vector = __m256i;
inline Vector load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(p)); }
inline void store(std::byte* p, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(p), v); }
inline void stream(std::byte* p, Vector v) { _mm256_stream_si256(reinterpret_cast<Vector*>(p), v); }
inline Vector add(Vector a, Vector b) { return _mm256_add_epi64(a, b); }
#else
using Vector = __m128i;
inline Vector load(const std::byte* p) { return _mm_loadu_si128(reinterpret_cast<const Vector*>(p)); }
inline void store(std::byte* p, Vector v) { _mm_storeu_si128(reinterpret_cast<Vector*>(p), v); }
inline void stream(std::byte* p, Vector v) { _mm_stream_si128(reinterpret_cast<Vector*>(p), v); }
inline Vector add(Vector a, Vector b) { return _mm_add_epi64(a, b); }
#endif

constexpr int64_t vector_bytes = sizeof(Vector);
constexpr int64_t block_bytes = 4 * vector_bytes;
constexpr int64_t line_bytes = 64;

inline int64_t to_alignment(const std::byte* p, int64_t limit) {
  const int64_t head = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(p) & (sizeof(Vector) - 1));
  return head < limit ? head : limit;
}

inline void prefetch(const std::byte* p) { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }

void copy_library(std::byte* dst, const std::byte* src, int64_t bytes) {
  std::memcpy(dst, src, static_cast<size_t>(bytes));
}

// ahead: bytes by which a prefetch runs in front, 0 for none.
template <bool non_temporal, int64_t ahead = 0>
void copy_vectors(std::byte* dst, const std::byte* src, int64_t bytes) {
  int64_t i = non_temporal ? to_alignment(dst, bytes) : 0;
  std::memcpy(dst, src, static_cast<size_t>(i));
  for (; i + block_bytes <= bytes; i += block_bytes) {
    if (ahead > 0) {
      for (int64_t at = 0; at < block_bytes; at += line_bytes) prefetch(src + i + ahead + at);
    }
    for (int j = 0; j < 4; ++j) {
      const Vector v = load(src + i + j * vector_bytes);
      if (non_temporal) {
        stream(dst + i + j * vector_bytes, v);
      } else {
        store(dst + i + j * vector_bytes, v);
      }
    }
  }
  std::memcpy(dst + i, src + i, static_cast<size_t>(bytes - i));
  if (non_temporal) _mm_sfence();
}

// Reads every index byte and writes every output byte, in step with each other; no table. chunk: output bytes written in a row; ahead:
// index bytes by which a prefetch runs in front, 0 for none. A single chain of additions would be slower than the caches.
template <bool non_temporal, int64_t chunk, int64_t ahead = 0>
void stream_both(std::byte* output, int64_t output_bytes, const std::byte* indices, int64_t index_bytes) {
  const int64_t chunks = output_bytes / chunk > 1 ? output_bytes / chunk : 1;
  Vector sum[4] = {};
  int64_t in = 0;
  int64_t out = to_alignment(output, output_bytes);
  std::memset(output, 0, static_cast<size_t>(out));
  for (int64_t c = 1; c <= chunks; ++c) {
    const int64_t in_stop = c == chunks ? index_bytes : index_bytes / chunks * c;
    const int64_t out_stop = c == chunks ? output_bytes : out + chunk;
    for (; in + block_bytes <= in_stop; in += block_bytes) {
      if (ahead > 0) {
        for (int64_t at = 0; at < block_bytes; at += line_bytes) prefetch(indices + in + ahead + at);
      }
      for (int j = 0; j < 4; ++j) sum[j] = add(sum[j], load(indices + in + j * vector_bytes));
    }
    for (; out + vector_bytes <= out_stop; out += vector_bytes) {
      if (non_temporal) {
        stream(output + out, sum[0]);
      } else {
        store(output + out, sum[0]);
      }
    }
  }
  for (; in + vector_bytes <= index_bytes; in += vector_bytes) sum[0] = add(sum[0], load(indices + in));
  std::byte tail{};
  std::byte lanes[sizeof sum];
  std::memcpy(lanes, sum, sizeof sum);
  for (const std::byte lane : lanes) tail ^= lane;
  for (; in < index_bytes; ++in) tail ^= indices[in];
  for (; out < output_bytes; ++out) output[out] = tail;
  if (non_temporal) _mm_sfence();
}

// One load at a time, as wide as an element where that is known: the loads are then operands of the additions.
template <int width>
struct Loaded {
  using Type = uint8_t;
};
template <>
struct Loaded<2> {
  using Type = uint16_t;
};
template <>
struct Loaded<4> {
  using Type = uint32_t;
};
template <>
struct Loaded<8> {
  using Type = uint64_t;
};

template <int width>
inline uint64_t touch(const std::byte* p) {
  return *reinterpret_cast<const typename Loaded<width>::Type*>(p);
}

// width: that of a slice of one element, so that the last coordinate scales by a constant; 0: any slice.
template <int K, int width, class Index>
inline int64_t tuple_offset(const DenseGather& g, const int64_t* step, const Index* tuple) {
  const int64_t k = K != 0 ? K : g.k;
  int64_t offset = static_cast<int64_t>(tuple[k - 1]) * (width != 0 ? width : step[k - 1]);
  for (int64_t j = 0; j < k - 1; ++j) offset += static_cast<int64_t>(tuple[j]) * step[j];
  return offset;
}

template <int K, int width, int ahead, class Index>
uint64_t touch_nd(const DenseGather& g, const std::byte* data, const std::byte* indices, int64_t begin, int64_t end) {
  const Index* idx = reinterpret_cast<const Index*>(indices);
  const int64_t k = K != 0 ? K : g.k;
  int64_t step[DenseGather::max_dims];
  for (int64_t j = 0; j < k; ++j) step[j] = g.step[j];
  uint64_t sum = 0;
  if (g.per_batch == 1 && g.slice_bytes <= line_bytes) {  // one tuple per batch: one loop over the batches
    const int64_t batch_bytes = g.batch_bytes;
    const std::byte* base = data + begin * batch_bytes;
#pragma GCC unroll 4
    for (int64_t i = begin; i < end; ++i, base += batch_bytes) {
      if (ahead != 0 && i + ahead < end) {
        prefetch(base + ahead * batch_bytes + tuple_offset<K, width>(g, step, idx + (i + ahead) * k));
      }
      sum += touch<width>(base + tuple_offset<K, width>(g, step, idx + i * k));
    }
    return sum;
  }
  const int64_t slice_bytes = g.slice_bytes;
  const int64_t prefetched_bytes = slice_bytes < 64 * line_bytes ? slice_bytes : 64 * line_bytes;
  const int64_t batch = begin / g.per_batch;
  const std::byte* base = data + batch * g.batch_bytes;
  int64_t stop = (batch + 1) * g.per_batch;
  for (int64_t i = begin; i < end; base += g.batch_bytes, stop += g.per_batch) {
    if (stop > end) stop = end;
    if (slice_bytes <= line_bytes) {
#pragma GCC unroll 8
      for (; i < stop; ++i) {
        if (ahead != 0 && i + ahead < stop) prefetch(base + tuple_offset<K, width>(g, step, idx + (i + ahead) * k));
        sum += touch<width>(base + tuple_offset<K, width>(g, step, idx + i * k));
      }
      continue;
    }
    for (; i < stop; ++i) {
      if (ahead != 0 && i + ahead < stop) {
        const std::byte* next = base + tuple_offset<K, width>(g, step, idx + (i + ahead) * k);
        for (int64_t b = 0; b < prefetched_bytes; b += line_bytes) prefetch(next + b);
      }
      const std::byte* slice = base + tuple_offset<K, width>(g, step, idx + i * k);
      for (int64_t b = 0; b < slice_bytes; b += line_bytes) sum += touch<width>(slice + b);
    }
  }
  return sum;
}

// A row of positions whose addresses are base + index * scale + column * column_bytes.
template <int width, int ahead, bool last, class Index>
inline uint64_t touch_row(const std::byte* base, const Index* idx, int64_t column, int64_t stop, int64_t scale) {
  constexpr int64_t column_bytes = last ? 0 : width;
  const auto place = [&](int64_t c) {
    return base + static_cast<int64_t>(idx[c]) * (last ? width : scale) + c * column_bytes;
  };
  uint64_t sum = 0;
#pragma GCC unroll 8
  for (int64_t c = column; c < stop; ++c) {
    if (ahead != 0 && c + ahead < stop) prefetch(place(c + ahead));
    sum += touch<width>(place(c));
  }
  return sum;
}

template <int width, int ahead, class Index>
uint64_t touch_elements(const DenseGather& g, const std::byte* data, const std::byte* indices, int64_t begin,
                        int64_t end) {
  const Index* idx = reinterpret_cast<const Index*>(indices);
  uint64_t sum = 0;
  if (g.same_rest) {
    const bool last = g.inner == 1;
    const int64_t row = last ? g.length : g.inner;
    const int64_t rows_of_block = last ? 1 : g.length;
    const int64_t block_step = g.axis_extent * g.inner * width;
    const int64_t scale = g.inner * width;
    int64_t column = begin % row;
    int64_t position = begin / row % rows_of_block;
    const std::byte* base = data + begin / row / rows_of_block * block_step;
    if (last && row == 1) {  // rows of one: one loop over the rows
#pragma GCC unroll 4
      for (int64_t i = begin; i < end; ++i, base += block_step) sum += touch<width>(base + int64_t(idx[i]) * width);
      return sum;
    }
    for (int64_t i = begin - column; i < end; i += row, column = 0) {
      const int64_t stop = end - i < row ? end - i : row;
      sum += last ? touch_row<width, ahead, true>(base, idx + i, column, stop, scale)
                  : touch_row<width, ahead, false>(base, idx + i, column, stop, scale);
      if (++position == rows_of_block) {
        position = 0;
        base += block_step;
      }
    }
    return sum;
  }
  const int64_t row = g.index_shape[g.rank - 1];
  const bool last = g.axis == g.rank - 1;
  for (int64_t i = begin; i < end;) {
    const int64_t first = i / row * row;
    const int64_t stop = end - first < row ? end - first : row;
    int64_t rest = i / row;
    int64_t offset = 0;
    for (int d = g.rank - 2; d >= 0; --d) {
      if (d != g.axis) offset += rest % g.index_shape[d] * g.data_stride[d];
      rest /= g.index_shape[d];
    }
    const std::byte* base = data + offset * width;
    const int64_t scale = g.data_stride[g.axis] * width;
    sum += last ? touch_row<width, ahead, true>(base, idx + first, i - first, stop, scale)
                : touch_row<width, ahead, false>(base, idx + first, i - first, stop, scale);
    i = first + stop;
  }
  return sum;
}

#if defined(__AVX2__)
// 64-bit indices through the gather instruction. The order of the lanes does not matter to a sum.
template <int K, int width>
uint64_t touch_hardware(const DenseGather& g, const std::byte* data, const std::byte* indices, int64_t begin,
                        int64_t end) {
  const int64_t* idx = reinterpret_cast<const int64_t*>(indices);
  __m256i sum = _mm256_setzero_si256();
  const __m256i outer_step = _mm256_set1_epi64x(g.step[0]);
  const __m256i inner_step = _mm256_set1_epi64x(g.step[K - 1]);
  int64_t i = begin;
  for (; i + 8 <= end; i += 8) {
    for (int half = 0; half < 2; ++half) {
      const std::byte* p = indices + (i + 4 * half) * K * 8;
      __m256i offset;
      if (K == 1) {
        offset = _mm256_mul_epu32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)), inner_step);
      } else {
        const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32));
        offset = _mm256_add_epi64(_mm256_mul_epu32(_mm256_unpacklo_epi64(a, b), outer_step),
                                  _mm256_mul_epu32(_mm256_unpackhi_epi64(a, b), inner_step));
      }
      if (width == 4) {
        sum = _mm256_add_epi64(
            sum, _mm256_castsi128_si256(_mm256_i64gather_epi32(reinterpret_cast<const int*>(data), offset, 1)));
      } else {
        sum = _mm256_add_epi64(sum, _mm256_i64gather_epi64(reinterpret_cast<const long long*>(data), offset, 1));
      }
    }
  }
  uint64_t lanes[4];
  std::memcpy(lanes, &sum, sizeof lanes);
  uint64_t total = lanes[0] + lanes[1] + lanes[2] + lanes[3];
  for (; i < end; ++i) total += touch<0>(data + tuple_offset<K, 0>(g, g.step, idx + i * K));
  return total;
}

template <int K>
TouchFunction choose_hardware(const DenseGather& g) {
  return g.slice_bytes == 4 ? touch_hardware<K, 4> : g.slice_bytes == 8 ? touch_hardware<K, 8> : nullptr;
}

inline TouchFunction hardware_touch(const DenseGather& g) {
  // The 32-bit multiplication needs extents and steps below 2^32.
  if (g.elements || g.index_bytes != 8 || g.per_batch != g.positions) return nullptr;
  for (int64_t j = 0; j < g.k; ++j) {
    if (g.extent[j] >= (int64_t{1} << 32) || g.step[j] >= (int64_t{1} << 32)) return nullptr;
  }
  return g.k == 1 ? choose_hardware<1>(g) : g.k == 2 ? choose_hardware<2>(g) : nullptr;
}
#else
inline TouchFunction hardware_touch(const DenseGather&) { return nullptr; }
#endif

template <int K, int width, class Index>
void add_nd(ProbeSet& set) {
  set.touch[0] = touch_nd<K, width, 0, Index>;
  set.touch[1] = touch_nd<K, width, 16, Index>;
}

template <int K, class Index>
void add_slice(const DenseGather& g, ProbeSet& set) {
  switch (g.slice_bytes) {
    case 1: return add_nd<K, 1, Index>(set);
    case 2: return add_nd<K, 2, Index>(set);
    case 4: return add_nd<K, 4, Index>(set);
    case 8: return add_nd<K, 8, Index>(set);
    default: return add_nd<K, 0, Index>(set);
  }
}

template <int width, class Index>
void add_elements(ProbeSet& set) {
  set.touch[0] = touch_elements<width, 0, Index>;
  set.touch[1] = touch_elements<width, 16, Index>;
}

template <class Index>
void add_touch(const DenseGather& g, ProbeSet& set) {
  if (g.elements) {
    switch (g.element_bytes) {
      case 1: return add_elements<1, Index>(set);
      case 2: return add_elements<2, Index>(set);
      case 4: return add_elements<4, Index>(set);
      case 8: return add_elements<8, Index>(set);
      case 16: return add_elements<16, Index>(set);
      default: return;
    }
  }
  if constexpr (sizeof(Index) < 4) {
    add_nd<0, 0, Index>(set);  // a version for each width and depth would not be worth its compile time
  } else {
    switch (g.k) {
      case 1: add_slice<1, Index>(g, set); break;
      case 2: add_slice<2, Index>(g, set); break;
      case 3: add_slice<3, Index>(g, set); break;
      case 4: add_slice<4, Index>(g, set); break;
      default: add_nd<0, 0, Index>(set); break;
    }
  }
  set.touch[2] = hardware_touch(g);
}

inline ProbeSet choose_probes(const DenseGather& g) {
  ProbeSet set = {};
  set.copy[0] = copy_library;
  set.copy[1] = copy_vectors<false>;
  set.copy[2] = copy_vectors<true>;
  set.copy[3] = copy_vectors<true, 4096>;
  set.stream[0] = stream_both<false, 4096>;
  set.stream[1] = stream_both<true, 4096>;
  set.stream[2] = stream_both<false, 512, 1024>;
  switch (g.index_bytes) {  // legal indices are not negative, so the unsigned types do
    case 1: add_touch<uint8_t>(g, set); break;
    case 2: add_touch<uint16_t>(g, set); break;
    case 4: add_touch<uint32_t>(g, set); break;
    default: add_touch<uint64_t>(g, set); break;
  }
  return set;
}

}  // namespace
}  // namespace garner::perf
