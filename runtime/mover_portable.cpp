// SPDX-License-Identifier: Apache-2.0
// Movers for any CPU, in words of 16 bytes.
#define GARNER_MOVER_TARGET
#include "runtime/mover_rows.h"

namespace garner {
namespace {

template <bool ahead>
NamedMover choose(int64_t run_bytes) {
  switch (run_bytes) {
    case 1: return {rows_of_words<Word1, 1, ahead>, "rows_1"};
    case 2: return {rows_of_words<Word2, 1, ahead>, "rows_2"};
    case 3: return {rows_of_words<Word2, 2, ahead>, "rows_3"};
    case 4: return {rows_of_words<Word4, 1, ahead>, "rows_4"};
    case 8: return {rows_of_words<Word8, 1, ahead>, "rows_8"};
    case 16: return {rows_of_words<Word16, 1, ahead>, "rows_16"};
    default: break;
  }
  if (run_bytes < 8) return {rows_of_words<Word4, 2, ahead>, "rows_5_7"};
  if (run_bytes < 16) return {rows_of_words<Word8, 2, ahead>, "rows_9_15"};
  if (run_bytes <= 32) return {rows_of_words<Word16, 2, ahead>, "rows_17_32"};
  if (run_bytes <= 48) return {rows_of_words<Word16, 3, ahead>, "rows_33_48"};
  if (run_bytes <= 64) return {rows_of_words<Word16, 4, ahead>, "rows_49_64"};
  if (run_bytes <= 80) return {rows_of_words<Word16, 5, ahead>, "rows_65_80"};
  if (run_bytes <= 96) return {rows_of_words<Word16, 6, ahead>, "rows_81_96"};
  if (run_bytes <= 112) return {rows_of_words<Word16, 7, ahead>, "rows_97_112"};
  if (run_bytes <= 128) return {rows_of_words<Word16, 8, ahead>, "rows_113_128"};
  return {rows_wide<Word16, ahead>, "rows_wide"};
}

}  // namespace

NamedMover portable_mover(int64_t run_bytes, bool ahead) {
  return ahead ? choose<true>(run_bytes) : choose<false>(run_bytes);
}

}  // namespace garner
