// SPDX-License-Identifier: Apache-2.0
#include "tests/support/handles.h"

#include <sstream>
#include <stdexcept>

namespace garner_test {

ContextHandle make_context(const garner_context_options& options) {
  garner_context* context = nullptr;
  garner_error error = no_error();
  const garner_status status = garner_context_create(&options, &context, &error);
  if (status != GARNER_OK || context == nullptr) throw std::runtime_error(std::string("no context: ") + error.text);
  return ContextHandle(context);
}

garner_op gather_nd(int64_t batch_dims, int32_t kind) {
  garner_op op = GARNER_OP_INIT;
  op.kind = kind;
  op.batch_dims = batch_dims;
  return op;
}

garner_op gather_elements(int64_t axis) {
  garner_op op = GARNER_OP_INIT;
  op.kind = GARNER_GATHER_ELEMENTS_ONNX;
  op.axis = axis;
  return op;
}

garner_op with_policy(garner_op op, int32_t bounds, int32_t negative) {
  op.bounds = bounds;
  op.negative = negative;
  return op;
}

std::string describe_text(const garner_plan* plan, int32_t max_threads) {
  size_t needed = 0;
  garner_plan_describe(plan, max_threads, nullptr, 0, &needed);
  std::string text(needed, '\0');
  garner_plan_describe(plan, max_threads, text.data(), text.size(), nullptr);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

Description describe(const garner_plan* plan, int32_t max_threads) {
  Description description;
  std::istringstream lines(describe_text(plan, max_threads));
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) description[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return description;
}

int64_t described_number(const Description& description, const std::string& key) {
  const auto found = description.find(key);
  return found == description.end() ? -1 : std::stoll(found->second);
}

}  // namespace garner_test
