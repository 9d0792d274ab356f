// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine for the same seed (the standard distributions are not).
#pragma once

#include <cstdint>

namespace garner::perf {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}

  uint64_t next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  // In [0, bound); 0 when bound is 0. The multiplication keeps the bias below 2^-64 * bound.
  uint64_t below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  int64_t below(int64_t bound) { return static_cast<int64_t>(below(static_cast<uint64_t>(bound))); }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace garner::perf
