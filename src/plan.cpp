// SPDX-License-Identifier: Apache-2.0
#include "src/plan.h"

#include <new>

#include "src/log_line.h"
#include "src/normal_form.h"
#include "src/threads.h"

namespace garner {

garner_status open_plan(garner_context& context, const garner_op* op, const garner_tensor* data,
                        const garner_tensor* indices, const garner_tensor* output, garner_plan& plan,
                        const ErrorReport& report) {
  plan.context = &context;
  GARNER_RETURN_IF_FAILED(check_operation(op, data, indices, output, plan.operation, report));
  build_problem(plan.operation, plan.execution.problem);
  GARNER_RETURN_IF_FAILED(choose_path(context, plan.operation, plan.decision, plan.execution, report));
  prepare_execution(plan.execution);
  plan.threads_may_pay = threads_may_pay(plan);
  // Empty tensors may have no buffer, and no address to start from.
  plan.is_small = plan.execution.is_direct && !plan.threads_may_pay && context.settings.verbose < 2 &&
                  !plan.operation.data_footprint.empty() && !plan.operation.output_footprint.empty();
  if (context.settings.verbose >= 1) log_plan(plan);
  return GARNER_OK;
}

void close_plan(garner_plan& plan) { jit::release(plan.decision.kernel); }

garner_status create_plan(garner_context& context, const garner_op* op, const garner_tensor* data,
                          const garner_tensor* indices, const garner_tensor* output, garner_plan** plan,
                          const ErrorReport& report) {
  const Allocator& allocator = context.allocator;
  void* const memory = allocator.allocate(allocator.ctx, sizeof(garner_plan), alignof(garner_plan));
  if (memory == nullptr) {
    return report.fail(GARNER_OUT_OF_MEMORY, GARNER_ARGUMENT_NONE, "no memory for a plan of ",
                       uint64_t{sizeof(garner_plan)}, " bytes");
  }
  // Not value-initialized: most of its arrays stay unused.
  auto* const created = new (memory) garner_plan;
  const garner_status status = open_plan(context, op, data, indices, output, *created, report);
  if (status != GARNER_OK) {
    allocator.release(allocator.ctx, created, sizeof(garner_plan), alignof(garner_plan));
    return status;
  }
  retain(context);
  *plan = created;
  return GARNER_OK;
}

void destroy_plan(garner_plan* plan) {
  if (plan == nullptr) return;
  garner_context* const context = plan->context;
  close_plan(*plan);
  const Allocator& allocator = context->allocator;
  allocator.release(allocator.ctx, plan, sizeof(garner_plan), alignof(garner_plan));
  release(context);
}

}  // namespace garner
