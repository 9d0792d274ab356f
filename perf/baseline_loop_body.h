// SPDX-License-Identifier: Apache-2.0
// The loop that an engine author would write by hand: one template per element width, index type and K, bounds check
// and negative wrap by select. Included by one file per ISA level; everything has internal linkage.
#pragma once

#include <cstring>

#include "perf/dense_gather.h"

namespace garner::perf {
namespace {

struct Wide {  // 16-byte elements
  uint64_t low, high;
};

// The index as a legal position, or whether it is bad. `wrap` is what a negative index gains: the extent, or 0.
template <LoopBounds bounds, class Index>
inline bool resolve(Index raw, int64_t extent, int64_t wrap, int64_t& value) {
  int64_t v = static_cast<int64_t>(raw);
  if (static_cast<Index>(-1) < Index{0}) {
    v += v < 0 ? wrap : 0;
  } else if (sizeof(Index) == 8 && v < 0) {
    v = INT64_MAX;  // beyond every extent
  }
  if (bounds == LoopBounds::clamp) {
    v = v < 0 ? 0 : v;
    v = v >= extent ? extent - 1 : v;
    value = v;
    return true;
  }
  value = v;
  return static_cast<uint64_t>(v) < static_cast<uint64_t>(extent);
}

template <int K, int slice, class Index, LoopBounds bounds>
bool gather_nd(const DenseGather& g, const std::byte* data, const std::byte* indices, std::byte* output, int64_t begin,
               int64_t end) {
  const Index* idx = reinterpret_cast<const Index*>(indices);
  const size_t bytes = slice != 0 ? static_cast<size_t>(slice) : static_cast<size_t>(g.slice_bytes);
  const int64_t k = K != 0 ? K : g.k;
  int64_t step[DenseGather::max_dims];
  for (int64_t j = 0; j < k; ++j) step[j] = g.step[j];
  const int64_t batch = begin / g.per_batch;
  const std::byte* base = data + batch * g.batch_bytes;
  int64_t stop = (batch + 1) * g.per_batch;
  for (int64_t i = begin; i < end; base += g.batch_bytes, stop += g.per_batch) {
    if (stop > end) stop = end;
    for (; i < stop; ++i) {
      int64_t offset = 0;
      bool good = true;
      for (int64_t j = 0; j < k; ++j) {
        int64_t v;
        // The extents stay in the struct, where such a loop has them: the compiler must assume that the output
        // overlaps it.
        const bool legal = resolve<bounds>(idx[i * k + j], g.extent[j], g.wrap[j], v);
        if (bounds == LoopBounds::error && __builtin_expect(!legal, 0)) return false;
        good = good && legal;
        offset += v * step[j];
      }
      std::byte* dst = output + static_cast<size_t>(i) * bytes;
      if (bounds == LoopBounds::zero && !good) {
        std::memset(dst, 0, bytes);
      } else {
        std::memcpy(dst, base + offset, bytes);
      }
    }
  }
  return true;
}

// Where row `r` of the last dim of the indices begins in data, without its coordinate on the axis.
inline int64_t row_base(const DenseGather& g, int64_t r) {
  int64_t offset = 0;
  for (int d = g.rank - 2; d >= 0; --d) {
    const int64_t c = r % g.index_shape[d];
    r /= g.index_shape[d];
    if (d != g.axis) offset += c * g.data_stride[d];
  }
  return offset;
}

// One element of a row; false when its index is bad and the policy is to stop.
template <LoopBounds bounds, class Element, class Index, class Place>
inline bool gather_one(Index raw, int64_t extent, int64_t wrap, Element& out, const Place& place) {
  int64_t v;
  const bool legal = resolve<bounds>(raw, extent, wrap, v);
  if (bounds == LoopBounds::error && __builtin_expect(!legal, 0)) return false;
  out = bounds == LoopBounds::zero && !legal ? Element{} : *place(v);
  return true;
}

// Row by row. Dense apart from the axis: rows of [outer, axis, inner]; otherwise rows of the last dim.
template <class Element, class Index, LoopBounds bounds>
bool gather_elements(const DenseGather& g, const std::byte* data_bytes, const std::byte* indices, std::byte* output,
                     int64_t begin, int64_t end) {
  const Element* data = reinterpret_cast<const Element*>(data_bytes);
  const Index* idx = reinterpret_cast<const Index*>(indices);
  Element* out = reinterpret_cast<Element*>(output);
  const int64_t extent = g.axis_extent;
  const int64_t wrap = g.wrap[0];
  if (g.same_rest && g.inner == 1) {
    int64_t column = begin % g.length;
    const Element* row = data + begin / g.length * extent;
    for (int64_t i = begin; i < end; row += extent, column = 0) {
      const int64_t stop = i + g.length - column < end ? i + g.length - column : end;
      for (; i < stop; ++i) {
        if (!gather_one<bounds>(idx[i], extent, wrap, out[i], [&](int64_t v) { return row + v; })) return false;
      }
    }
    return true;
  }
  if (g.same_rest) {
    const int64_t inner = g.inner;
    int64_t column = begin % inner;
    int64_t position = begin / inner % g.length;
    const Element* block = data + begin / inner / g.length * extent * inner;
    for (int64_t i = begin; i < end; column = 0) {
      const int64_t stop = end - i < inner - column ? end - i + column : inner;
      const Index* row_idx = idx + i - column;
      Element* row_out = out + i - column;
      i += stop - column;
      for (; column < stop; ++column) {
        const auto place = [&](int64_t v) { return block + v * inner + column; };
        if (!gather_one<bounds>(row_idx[column], extent, wrap, row_out[column], place)) return false;
      }
      if (++position == g.length) {
        position = 0;
        block += extent * inner;
      }
    }
    return true;
  }
  const int64_t row = g.index_shape[g.rank - 1];
  const int64_t scale = g.data_stride[g.axis];
  const int64_t column_step = g.axis == g.rank - 1 ? 0 : 1;
  for (int64_t i = begin; i < end;) {
    const int64_t first = i / row * row;
    const int64_t stop = first + row < end ? first + row : end;
    const Element* base = data + row_base(g, i / row);
    for (; i < stop; ++i) {
      const auto place = [&](int64_t v) { return base + v * scale + (i - first) * column_step; };
      if (!gather_one<bounds>(idx[i], extent, wrap, out[i], place)) return false;
    }
  }
  return true;
}

template <int K, class Index, LoopBounds bounds>
LoopFunction choose_slice(const DenseGather& g) {
  switch (g.slice_bytes) {
    case 1: return gather_nd<K, 1, Index, bounds>;
    case 2: return gather_nd<K, 2, Index, bounds>;
    case 4: return gather_nd<K, 4, Index, bounds>;
    case 8: return gather_nd<K, 8, Index, bounds>;
    case 16: return gather_nd<K, 16, Index, bounds>;
    default: return gather_nd<K, 0, Index, bounds>;
  }
}

template <class Index, LoopBounds bounds>
LoopFunction choose_shape(const DenseGather& g) {
  if (g.elements) {
    switch (g.element_bytes) {
      case 1: return gather_elements<uint8_t, Index, bounds>;
      case 2: return gather_elements<uint16_t, Index, bounds>;
      case 4: return gather_elements<uint32_t, Index, bounds>;
      case 8: return gather_elements<uint64_t, Index, bounds>;
      case 16: return gather_elements<Wide, Index, bounds>;
      default: return nullptr;
    }
  }
  switch (g.k) {
    case 1: return choose_slice<1, Index, bounds>(g);
    case 2: return choose_slice<2, Index, bounds>(g);
    case 3: return choose_slice<3, Index, bounds>(g);
    case 4: return choose_slice<4, Index, bounds>(g);
    default: return choose_slice<0, Index, bounds>(g);
  }
}

template <LoopBounds bounds>
LoopFunction choose_common_index(const DenseGather& g) {  // engines have these two
  if (!g.index_signed) return nullptr;
  if (g.index_bytes == 8) return choose_shape<int64_t, bounds>(g);
  if (g.index_bytes == 4) return choose_shape<int32_t, bounds>(g);
  return nullptr;
}

inline LoopFunction choose_loop(const DenseGather& g) {
  if (g.bounds == LoopBounds::clamp) return choose_common_index<LoopBounds::clamp>(g);
  if (g.bounds == LoopBounds::zero) return choose_common_index<LoopBounds::zero>(g);
  constexpr LoopBounds bounds = LoopBounds::error;
  switch (g.index_bytes) {
    case 1: return g.index_signed ? choose_shape<int8_t, bounds>(g) : choose_shape<uint8_t, bounds>(g);
    case 2: return g.index_signed ? choose_shape<int16_t, bounds>(g) : choose_shape<uint16_t, bounds>(g);
    case 4: return g.index_signed ? choose_shape<int32_t, bounds>(g) : choose_shape<uint32_t, bounds>(g);
    default: return g.index_signed ? choose_shape<int64_t, bounds>(g) : choose_shape<uint64_t, bounds>(g);
  }
}

}  // namespace
}  // namespace garner::perf
