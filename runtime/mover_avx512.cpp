// SPDX-License-Identifier: Apache-2.0
// Movers with words of 64 bytes.
#include "runtime/mover.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define GARNER_MOVER_TARGET __attribute__((target("avx2,avx512f,avx512vl,avx512bw,avx512dq")))
#include "runtime/mover_rows.h"

namespace garner {
namespace {

struct Word64 {
  static constexpr int64_t bytes = 64;
  __m512i value;

  GARNER_MOVER_TARGET static Word64 load(const std::byte* src) { return {_mm512_loadu_si512(src)}; }
  GARNER_MOVER_TARGET void store(std::byte* dst) const { _mm512_storeu_si512(dst, value); }
  GARNER_MOVER_TARGET void stream(std::byte* dst) const { _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), value); }
};

template <bool ahead>
NamedMover choose(int64_t run_bytes) {
  if (run_bytes < 64) return avx2_mover(run_bytes, ahead);
  if (run_bytes == 64) return {rows_of_words<Word64, 1, ahead>, "rows_64"};
  if (run_bytes <= 128) return {rows_of_words<Word64, 2, ahead>, "rows_65_128"};
  if (run_bytes <= 192) return {rows_of_words<Word64, 3, ahead>, "rows_129_192"};
  if (run_bytes <= 256) return {rows_of_words<Word64, 4, ahead>, "rows_193_256"};
  return {rows_wide<Word64, ahead>, "rows_wide"};
}

}  // namespace

NamedMover avx512_mover(int64_t run_bytes, bool ahead) {
  return ahead ? choose<true>(run_bytes) : choose<false>(run_bytes);
}

void avx512_rows_nt(const MoverArgs& args) {
  rows_past_caches<Word64, StreamedWord16, false>(args, choose<false>(args.run_bytes).mover);
}
void avx512_rows_nt_ahead(const MoverArgs& args) {
  rows_past_caches<Word64, StreamedWord16, true>(args, choose<true>(args.run_bytes).mover);
}

}  // namespace garner

#else

namespace garner {

NamedMover avx512_mover(int64_t run_bytes, bool ahead) { return portable_mover(run_bytes, ahead); }
// Never chosen: there is no such ISA here.
void avx512_rows_nt(const MoverArgs&) {}
void avx512_rows_nt_ahead(const MoverArgs&) {}

}  // namespace garner

#endif
