// SPDX-License-Identifier: Apache-2.0
#include "perf/checksum.h"

#include <array>
#include <cstring>

namespace garner::perf {

uint32_t crc32(const std::byte* bytes, int64_t count) {
  static const auto tables = [] {
    std::array<std::array<uint32_t, 256>, 8> t{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; ++i) {
      for (size_t j = 1; j < 8; ++j) t[j][i] = t[0][t[j - 1][i] & 255] ^ (t[j - 1][i] >> 8);
    }
    return t;
  }();
  uint32_t crc = ~0u;
  for (; count >= 8; count -= 8, bytes += 8) {  // eight bytes a step
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    word ^= crc;
    crc = 0;
    for (size_t j = 0; j < 8; ++j) crc ^= tables[7 - j][(word >> (8 * j)) & 255];
  }
  for (; count > 0; --count, ++bytes) crc = tables[0][(crc ^ static_cast<uint32_t>(*bytes)) & 255] ^ (crc >> 8);
  return ~crc;
}

}  // namespace garner::perf
