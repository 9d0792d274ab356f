// SPDX-License-Identifier: Apache-2.0
// Owners of contexts and plans, and struct initialisers that read well in tests.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <garner/garner.h>

namespace garner_test {

struct DestroyContext {
  void operator()(garner_context* context) const { garner_context_destroy(context); }
};
struct DestroyPlan {
  void operator()(garner_plan* plan) const { garner_plan_destroy(plan); }
};
using ContextHandle = std::unique_ptr<garner_context, DestroyContext>;
using PlanHandle = std::unique_ptr<garner_plan, DestroyPlan>;

inline garner_context_options context_options() { return GARNER_CONTEXT_OPTIONS_INIT; }
inline garner_args arguments() { return GARNER_ARGS_INIT; }
inline garner_error no_error() { return GARNER_ERROR_INIT; }

// Throws when the context cannot be made, which fails a running test case.
ContextHandle make_context(const garner_context_options& options);

garner_op gather_nd(int64_t batch_dims = 0, int32_t kind = GARNER_GATHER_ND_ONNX);
garner_op gather_elements(int64_t axis);
garner_op with_policy(garner_op op, int32_t bounds, int32_t negative = GARNER_NEGATIVE_DEFAULT);

// The key=value lines of a plan.
using Description = std::map<std::string, std::string>;
std::string describe_text(const garner_plan* plan, int32_t max_threads);
Description describe(const garner_plan* plan, int32_t max_threads);
// A number of the description; -1 when the key is missing.
int64_t described_number(const Description& description, const std::string& key);

}  // namespace garner_test
