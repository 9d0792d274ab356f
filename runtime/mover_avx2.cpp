// SPDX-License-Identifier: Apache-2.0
// Movers with words of 32 bytes.
#include "runtime/mover.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define GARNER_MOVER_TARGET __attribute__((target("avx2")))
#include "runtime/mover_rows.h"

namespace garner {
namespace {

struct Word32 {
  static constexpr int64_t bytes = 32;
  __m256i value;

  GARNER_MOVER_TARGET static Word32 load(const std::byte* src) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(src))};
  }
  GARNER_MOVER_TARGET void store(std::byte* dst) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(dst), value);
  }
  GARNER_MOVER_TARGET void stream(std::byte* dst) const { _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), value); }
};

// Where a buffer is aligned as malloc does it.
struct StreamedWord16 {
  static constexpr int64_t bytes = 16;
  __m128i value;

  GARNER_MOVER_TARGET static StreamedWord16 load(const std::byte* src) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(src))};
  }
  GARNER_MOVER_TARGET void stream(std::byte* dst) const { _mm_stream_si128(reinterpret_cast<__m128i*>(dst), value); }
};

template <bool ahead>
NamedMover choose(int64_t run_bytes) {
  if (run_bytes < 32) return portable_mover(run_bytes, ahead);
  if (run_bytes == 32) return {rows_of_words<Word32, 1, ahead>, "rows_32"};
  if (run_bytes <= 64) return {rows_of_words<Word32, 2, ahead>, "rows_33_64"};
  if (run_bytes <= 96) return {rows_of_words<Word32, 3, ahead>, "rows_65_96"};
  if (run_bytes <= 128) return {rows_of_words<Word32, 4, ahead>, "rows_97_128"};
  if (run_bytes <= 160) return {rows_of_words<Word32, 5, ahead>, "rows_129_160"};
  if (run_bytes <= 192) return {rows_of_words<Word32, 6, ahead>, "rows_161_192"};
  if (run_bytes <= 224) return {rows_of_words<Word32, 7, ahead>, "rows_193_224"};
  if (run_bytes <= 256) return {rows_of_words<Word32, 8, ahead>, "rows_225_256"};
  return {rows_wide<Word32, ahead>, "rows_wide"};
}

// Alignment is known only here: a pointer may have any, whatever the plan. Runs that do not end where lines end must be
// dense, so that their neighbours fill the lines that they begin.
template <bool ahead>
GARNER_MOVER_TARGET void choose_streamed(const MoverArgs& args) {
  const int64_t places =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(args.output)) | args.output_step | args.run_bytes;
  const bool whole_lines = places % cache_line == 0 || args.output_step == args.run_bytes;
  if (whole_lines && places % Word32::bytes == 0) {
    rows_streamed<Word32, ahead>(args);
  } else if (whole_lines && places % StreamedWord16::bytes == 0) {
    rows_streamed<StreamedWord16, ahead>(args);
  } else {
    choose<ahead>(args.run_bytes).mover(args);
  }
}

}  // namespace

NamedMover avx2_mover(int64_t run_bytes, bool ahead) {
  return ahead ? choose<true>(run_bytes) : choose<false>(run_bytes);
}

void avx2_rows_nt(const MoverArgs& args) { choose_streamed<false>(args); }
void avx2_rows_nt_ahead(const MoverArgs& args) { choose_streamed<true>(args); }

void stream_fence() { _mm_sfence(); }

}  // namespace garner

#else

namespace garner {

NamedMover avx2_mover(int64_t run_bytes, bool ahead) { return portable_mover(run_bytes, ahead); }
// Never chosen: there is no such ISA here.
void avx2_rows_nt(const MoverArgs&) {}
void avx2_rows_nt_ahead(const MoverArgs&) {}
void stream_fence() {}

}  // namespace garner

#endif
