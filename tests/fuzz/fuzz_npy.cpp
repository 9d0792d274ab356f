// SPDX-License-Identifier: Apache-2.0
// .npy files: refused with an InputError, or an array whose bytes are those of its shape.
#include "perf/npy.h"
#include "tests/fuzz/perf_case.h"

using namespace garner_test;
using namespace garner::perf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  try {
    const NpyArray array = parse_npy({first, first + size}, "input");
    const Tensor tensor = array.tensor();
    if (tensor.buffer_bytes() > to_int(array.bytes.size())) finding("an array of fewer bytes than its tensor reaches");
    if (tensor.element_count() * array.type.bytes() != to_int(array.bytes.size()))
      finding("an array of other bytes than its shape");
  } catch (const InputError& error) {
    for (const char* c = error.what(); *c != '\0'; ++c) {
      if (static_cast<unsigned char>(*c) < 0x20) finding("control characters in a message");
    }
  }
  return 0;
}
