// SPDX-License-Identifier: Apache-2.0
// Conformance cases in JSON Lines.
#include "perf/json_case.h"
#include "tests/fuzz/perf_case.h"

using namespace garner_test;
using namespace garner::perf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const ScratchFolder folder;
  folder.write("cases.jsonl", bytes, size);
  try {
    read_json_cases(folder.path("cases.jsonl"), [](GatherCase&& c) { run_case(c); });
  } catch (const InputError& error) {
    if (error.what()[0] == '\0') finding("a refusal without a text");
  }
  return 0;
}
