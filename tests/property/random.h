// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine for the same seed, and where the seed comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <vector>

namespace garner_test {

// splitmix64: a good 64-bit value for every counter.
inline uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// xoshiro256**
class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      word = mix(seed);
      seed += 0x9E3779B97F4A7C15u;
    }
  }

  uint64_t next() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [low, high]; the bias is below 2^-32 for every range that tests use.
  int64_t between(int64_t low, int64_t high) {
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (range == 0 ? next() : next() % range));
  }

  bool chance(double probability) { return static_cast<double>(next() >> 11) * 0x1p-53 < probability; }

  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[static_cast<size_t>(between(0, static_cast<int64_t>(values.size()) - 1))];
  }
  template <typename T>
  const T& pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(between(0, static_cast<int64_t>(values.size()) - 1))];
  }

 private:
  static uint64_t rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }
  uint64_t state_[4];
};

// GARNER_TEST_SEED, else a fresh one. Whoever draws from it prints it.
inline uint64_t test_seed() {
  if (const char* text = std::getenv("GARNER_TEST_SEED")) return std::strtoull(text, nullptr, 0);
  return std::random_device{}();
}

// GARNER_TEST_RUNS, else the default of the test.
inline int64_t test_runs(int64_t by_default) {
  const char* text = std::getenv("GARNER_TEST_RUNS");
  return text != nullptr ? std::strtoll(text, nullptr, 0) : by_default;
}

// GARNER_TEST_LONG=1 asks for hours of confidence instead of seconds.
inline bool long_test() {
  const char* text = std::getenv("GARNER_TEST_LONG");
  return text != nullptr && text[0] != '\0' && text[0] != '0';
}

}  // namespace garner_test
