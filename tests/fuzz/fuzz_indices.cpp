// SPDX-License-Identifier: Apache-2.0
// Index values from the input, in a legal call that its first bytes choose, on every path, body, instruction set and thread
// count, between guard pages, against the model of the operators.
#include <algorithm>
#include <string>

#include "tests/fuzz/fuzz_target.h"
#include "tests/property/case_generator.h"
#include "tests/property/executions.h"

using namespace garner_test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static Executions executions;
  FuzzInput input(bytes, size);
  const auto seed = input.take<uint32_t>();
  Random random(seed);
  GatherCase c = random_case(random);
  if (c.data_bytes.size() > 8192 || c.output.buffer_bytes > 16384) return 0;  // larger ones only cost time
  // Values of the input's own, each copied to some place; the others stay as they were drawn.
  const auto width = static_cast<size_t>(c.indices.element_bytes);
  const size_t slots = c.index_bytes.size() / width;
  for (size_t i = 0; i < slots && input.left() > width; ++i) {
    const size_t at = (i + static_cast<size_t>(input.take<uint8_t>()) * slots / 256) % slots * width;
    std::copy_n(reinterpret_cast<const std::byte*>(input.rest()), width,
                c.index_bytes.begin() + static_cast<std::ptrdiff_t>(at));
    input.skip(width);
  }
  for (const std::string& failure : executions.run(c, random)) finding(describe(c) + "\n" + failure);
  return 0;
}
