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

}  // namespace

NamedMover avx2_mover(int64_t run_bytes, bool ahead) {
  return ahead ? choose<true>(run_bytes) : choose<false>(run_bytes);
}

void avx2_rows_nt(const MoverArgs& args) {
  rows_past_caches<Word32, StreamedWord16, false>(args, choose<false>(args.run_bytes).mover);
}
void avx2_rows_nt_ahead(const MoverArgs& args) {
  rows_past_caches<Word32, StreamedWord16, true>(args, choose<true>(args.run_bytes).mover);
}

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
