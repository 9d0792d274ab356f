// SPDX-License-Identifier: Apache-2.0
// The text that names a problem and that garner-perf reads back.
#pragma once

#include "src/operation.h"
#include "src/text.h"

namespace garner {

// "gathernd:f32:64x64:i64:1000x2", then the keys that differ from their defaults. Values of indices are not part of it.
void write_problem(TextWriter& text, const Operation& operation);

// "25x125x15"; "scalar" for rank 0.
void write_shape(TextWriter& text, const Tensor& tensor);

}  // namespace garner
