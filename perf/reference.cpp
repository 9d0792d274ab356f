// SPDX-License-Identifier: Apache-2.0
#include "perf/reference.h"

#include "perf/input_error.h"

namespace garner::perf {

Plan plan_of(const Context& context, const Workload& workload) {
  const ProblemTensors& tensors = workload.tensors();
  Plan plan;
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = plan.create(context, workload.op(), tensors.data, tensors.indices,
                                           tensors.output ? &*tensors.output : nullptr, &error);
  if (status != GARNER_OK) throw InputError(describe_error(status, error));
  return plan;
}

Buffer reference_output(const Workload& workload, Pages pages) {
  Buffer right(workload.output_bytes(), pages);
  Choice scalar;
  scalar.path = GARNER_PATH_SCALAR;
  const Context context(scalar);
  const Plan plan = plan_of(context, workload);
  garner_args args = workload.arguments(workload.first(), 1);
  args.output = right.data();
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = plan.execute(args, &error);
  if (status != GARNER_OK) throw InputError(describe_error(status, error));
  return right;
}

}  // namespace garner::perf
