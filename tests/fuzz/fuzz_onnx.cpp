// SPDX-License-Identifier: Apache-2.0
// An ONNX test folder whose four files are parts of the input, each with its length before it.
#include <algorithm>

#include "perf/onnx_case.h"
#include "tests/fuzz/perf_case.h"

using namespace garner_test;
using namespace garner::perf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const ScratchFolder folder;
  FuzzInput input(bytes, size);
  for (const char* name :
       {"model.onnx", "test_data_set_0/input_0.pb", "test_data_set_0/input_1.pb", "test_data_set_0/output_0.pb"}) {
    const size_t length = std::min<size_t>(input.take<uint16_t>(), input.left());
    folder.write(name, input.rest(), length);
    input.skip(length);
  }
  const OnnxFolder read = read_onnx_folder(folder.path(""));
  for (const GatherCase& c : read.cases) {
    if (!read.problem.empty()) break;
    run_case(c);
  }
  return 0;
}
