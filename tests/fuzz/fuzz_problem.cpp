// SPDX-License-Identifier: Apache-2.0
// Problem strings: refused with an InputError, or parsed to what their canonical form parses to, and then a call that the
// library can judge.
#include <fmt/format.h>

#include "perf/problem.h"
#include "tests/fuzz/perf_case.h"

using namespace garner_test;
using namespace garner::perf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    Problem problem = parse_problem(text);
    const std::string canonical = format_problem(problem);
    if (format_problem(parse_problem(canonical)) != canonical)
      finding("the canonical form is not stable: " + canonical);
    const ProblemTensors tensors = tensors_of(problem, true);
    double work = 0;
    for (const Tensor* tensor : {&tensors.data, &tensors.indices}) work += static_cast<double>(tensor->buffer_bytes());
    const Tensor output = inferred_output(operator_of(problem), tensors.data, tensors.indices);
    work += static_cast<double>(output.buffer_bytes()) + 8 * static_cast<double>(tensors.indices.element_count());
    if (tensors.output) work += static_cast<double>(tensors.output->buffer_bytes());
    if (work > 1 << 20 || problem.pattern.kind == Pattern::Kind::file) return 0;
    run_case(make_case(named_problem("", text)));
  } catch (const InputError& error) {
    if (error.what()[0] == '\0') finding("a refusal without a text");
  }
  return 0;
}
