// SPDX-License-Identifier: Apache-2.0
// Where two outputs differ, in words.
#pragma once

#include <cstddef>
#include <string>

#include "perf/tensor.h"

namespace garner::perf {

// "" when both buffers, laid out as the tensor says, are equal byte for byte. Otherwise the first element in row-major order
// that differs, with both values; or, when no element does, the first byte between the elements that was written.
std::string first_difference(const Tensor& output, const std::byte* got, const std::byte* right);

}  // namespace garner::perf
