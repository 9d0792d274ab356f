// SPDX-License-Identifier: Apache-2.0
// CRC-32 as zlib computes it, fast enough for outputs of hundreds of megabytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace garner::perf {

uint32_t crc32(const std::byte* bytes, int64_t count);

}  // namespace garner::perf
