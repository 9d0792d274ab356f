// SPDX-License-Identifier: Apache-2.0
// Bodies of the movers. Each mover_<isa>.cpp includes this after it has defined GARNER_MOVER_TARGET, the function
// attribute that allows the ISA's instructions, so that one text serves all of them. Everything is in an unnamed
// namespace: the instances of different units must never be merged.
//
// A word is a type that moves `bytes` bytes of any alignment: load(src), store(dst), and for streaming, aligned,
// stream(dst). No byte outside a run is read or written: where a run is no multiple of the word, the last word overlaps
// the one before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/mover.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace garner {
namespace {

template <typename Integer>
struct IntegerWord {
  static constexpr int64_t bytes = sizeof(Integer);
  Integer value;

  GARNER_MOVER_TARGET static IntegerWord load(const std::byte* src) {
    IntegerWord word;
    std::memcpy(&word.value, src, sizeof(Integer));
    return word;
  }
  GARNER_MOVER_TARGET void store(std::byte* dst) const { std::memcpy(dst, &value, sizeof(Integer)); }
};

using Word1 = IntegerWord<uint8_t>;
using Word2 = IntegerWord<uint16_t>;
using Word4 = IntegerWord<uint32_t>;
using Word8 = IntegerWord<uint64_t>;

struct Word16 {
  static constexpr int64_t bytes = 16;
  char value __attribute__((vector_size(16)));

  GARNER_MOVER_TARGET static Word16 load(const std::byte* src) {
    Word16 word;
    std::memcpy(&word.value, src, sizeof(word.value));
    return word;
  }
  GARNER_MOVER_TARGET void store(std::byte* dst) const { std::memcpy(dst, &value, sizeof(value)); }
};

#if defined(__x86_64__)
// For streaming to buffers that are aligned as malloc does it.
struct StreamedWord16 {
  static constexpr int64_t bytes = 16;
  __m128i value;

  GARNER_MOVER_TARGET static StreamedWord16 load(const std::byte* src) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(src))};
  }
  GARNER_MOVER_TARGET void stream(std::byte* dst) const { _mm_stream_si128(reinterpret_cast<__m128i*>(dst), value); }
};
#endif

inline constexpr int64_t cache_line = 64;

// Asks for the first lines of a run; the hardware follows by itself in a longer one.
// Inlined by force: g++ takes a function that only prefetches for one without effect, and drops calls of it.
GARNER_MOVER_TARGET __attribute__((always_inline)) inline void prefetch_run(const std::byte* src, int64_t bytes) {
  const int64_t last = std::min<int64_t>(bytes, 16 * cache_line) - 1;
  for (int64_t at = 0; at < last; at += cache_line) __builtin_prefetch(src + at);
  __builtin_prefetch(src + last);
}

// Prefetches for tuple i; at the first one the distance is made good.
template <bool ahead>
GARNER_MOVER_TARGET __attribute__((always_inline)) inline void prefetch_for(const MoverArgs& args, int64_t i) {
  if constexpr (ahead) {
    const int64_t begin = i == 0 ? 0 : i + args.prefetch - 1;
    const int64_t end = std::min(i + args.prefetch, args.count);
    for (int64_t j = begin; j < end; ++j) prefetch_run(args.data + args.offsets[j], args.run_bytes);
  }
}

// Runs longer than (words - 1) words, up to `words` words.
template <typename Word, int words, bool ahead>
GARNER_MOVER_TARGET void rows_of_words(const MoverArgs& args) {
  const std::byte* const data = args.data;
  const int64_t* const offsets = args.offsets;
  const int64_t count = args.count;
  const int64_t output_step = args.output_step;
  const int64_t last = args.run_bytes - Word::bytes;
  std::byte* dst = args.output;
  for (int64_t i = 0; i < count; ++i) {
    prefetch_for<ahead>(args, i);
    const std::byte* src = data + offsets[i];
    Word word[static_cast<size_t>(words)];
#pragma GCC unroll 8
    for (int w = 0; w < words - 1; ++w) word[w] = Word::load(src + w * Word::bytes);
    word[words - 1] = Word::load(src + last);
#pragma GCC unroll 8
    for (int w = 0; w < words - 1; ++w) word[w].store(dst + w * Word::bytes);
    word[words - 1].store(dst + last);
    dst += output_step;
  }
}

// Four words; the unit of long runs.
template <typename Word>
GARNER_MOVER_TARGET inline void copy_four(std::byte* dst, const std::byte* src) {
  const Word a = Word::load(src);
  const Word b = Word::load(src + Word::bytes);
  const Word c = Word::load(src + 2 * Word::bytes);
  const Word d = Word::load(src + 3 * Word::bytes);
  a.store(dst);
  b.store(dst + Word::bytes);
  c.store(dst + 2 * Word::bytes);
  d.store(dst + 3 * Word::bytes);
}

// Runs of four words and more.
template <typename Word, bool ahead>
GARNER_MOVER_TARGET void rows_wide(const MoverArgs& args) {
  constexpr int64_t unit = 4 * Word::bytes;
  const int64_t bytes = args.run_bytes;
  std::byte* dst = args.output;
  for (int64_t i = 0; i < args.count; ++i) {
    prefetch_for<ahead>(args, i);
    const std::byte* src = args.data + args.offsets[i];
    // One unaligned word, then aligned stores: a store that crosses a line costs two.
    Word::load(src).store(dst);
    int64_t at = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(dst) % Word::bytes);
    for (; at + unit <= bytes; at += unit) copy_four<Word>(dst + at, src + at);
    if (at < bytes) copy_four<Word>(dst + bytes - unit, src + bytes - unit);
    dst += args.output_step;
  }
}

// Runs of whole words at aligned places, past the caches. There must be no ordinary store to a line that is streamed
// to, be it to its other half: each such line costs microseconds.
template <typename Word, bool ahead>
GARNER_MOVER_TARGET void rows_streamed(const MoverArgs& args) {
  const int64_t bytes = args.run_bytes;
  std::byte* dst = args.output;
  for (int64_t i = 0; i < args.count; ++i) {
    prefetch_for<ahead>(args, i);
    const std::byte* src = args.data + args.offsets[i];
    for (int64_t at = 0; at < bytes; at += Word::bytes) Word::load(src + at).stream(dst + at);
    dst += args.output_step;
  }
}

// Streams `bytes`, whole lines, to an aligned place.
template <typename Word>
GARNER_MOVER_TARGET inline void stream_lines(std::byte* dst, const std::byte* src, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += Word::bytes) Word::load(src + at).stream(dst + at);
}

// Long runs, wherever they begin and end: the lines that a run has for itself are streamed, those that it shares with
// its neighbours, who treat them alike, get ordinary stores.
template <typename Word, bool ahead>
GARNER_MOVER_TARGET void rows_streamed_inside(const MoverArgs& args) {
  std::byte* dst = args.output;
  for (int64_t i = 0; i < args.count; ++i) {
    prefetch_for<ahead>(args, i);
    const std::byte* src = args.data + args.offsets[i];
    const int64_t head = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(dst) % cache_line);
    const int64_t inside = (args.run_bytes - head) / cache_line * cache_line;
    const int64_t tail = args.run_bytes - head - inside;
    std::memcpy(dst, src, static_cast<size_t>(head));
    stream_lines<Word>(dst + head, src + head, inside);
    std::memcpy(dst + head + inside, src + head + inside, static_cast<size_t>(tail));
    dst += args.output_step;
  }
}

// Alignment is known only here: a pointer may have any, whatever the plan. Whole words at aligned places are streamed one by one where
// runs end with lines or are dense, so that neighbours fill the lines they share.
template <typename Word, typename SmallWord, bool ahead>
GARNER_MOVER_TARGET void rows_past_caches(const MoverArgs& args, Mover ordinary) {
  const int64_t places =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(args.output)) | args.output_step | args.run_bytes;
  const bool dense = args.output_step == args.run_bytes;
  const bool whole_lines = places % cache_line == 0 || dense;
  if (whole_lines && places % Word::bytes == 0) {
    rows_streamed<Word, ahead>(args);
  } else if (whole_lines && places % SmallWord::bytes == 0) {
    rows_streamed<SmallWord, ahead>(args);
  } else if (args.run_bytes >= min_unaligned_streamed_bytes) {
    rows_streamed_inside<Word, ahead>(args);
  } else {
    ordinary(args);
  }
}

}  // namespace
}  // namespace garner
