// SPDX-License-Identifier: Apache-2.0
#include "src/execution.h"

#include <ctime>

#include "runtime/execute.h"
#include "src/index_error.h"
#include "src/log_line.h"
#include "src/struct_size.h"
#include "src/threads.h"

namespace garner {
namespace {

// What the call hands over besides buffers.
garner_status accept_options(const garner_args& args, Executor& executor, const ErrorReport& report) {
  if (args.max_threads < 0) {
    return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_ARGS, "max_threads is ", args.max_threads,
                       "; it must be 0 (no limit) or more");
  }
  if (args.executor == nullptr) return GARNER_OK;
  return accept_executor(*args.executor, GARNER_ARGUMENT_ARGS, executor, report);
}

// Whether check_buffers and check_overlap find nothing wrong: nearly always, and small calls notice the difference.
bool buffers_are_right(const garner_plan& plan, const garner_args& args) {
  const Operation& operation = plan.operation;
  return plan.execution.problem.element_kind != ElementKind::host_object &&
         fits_buffer(args.data, args.data_bytes, operation.data_footprint) &&
         fits_buffer(args.indices, args.indices_bytes, operation.index_footprint) &&
         fits_buffer(args.output, args.output_bytes, operation.output_footprint) &&
         !overlap(args.output, operation.output_footprint, args.data, operation.data_footprint) &&
         !overlap(args.output, operation.output_footprint, args.indices, operation.index_footprint);
}

garner_status check_overlap(const Operation& operation, const garner_args& args, const ErrorReport& report) {
  struct Input {
    int32_t argument;
    const void* buffer;
    const Footprint& footprint;
  };
  for (const Input& input : {Input{GARNER_ARGUMENT_DATA, args.data, operation.data_footprint},
                             Input{GARNER_ARGUMENT_INDICES, args.indices, operation.index_footprint}}) {
    if (overlap(args.output, operation.output_footprint, input.buffer, input.footprint)) {
      return report.fail(GARNER_OVERLAP, GARNER_ARGUMENT_OUTPUT, "the bytes of output overlap those of ",
                         tensor_name(input.argument), "; the output needs memory of its own");
    }
  }
  return GARNER_OK;
}

garner_status check_buffers(const garner_plan& plan, const garner_args& args, const ErrorReport& report) {
  const Operation& operation = plan.operation;
  if (plan.execution.problem.element_kind == ElementKind::host_object && !operation.output.empty() &&
      args.copy == nullptr) {
    return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_ARGS, "copy is NULL; strings of the host's own type (",
                       operation.data.element_bytes, " bytes) need the callback");
  }
  // With an empty slice data and output are empty tensors, and only the buffer of indices counts.
  GARNER_RETURN_IF_FAILED(
      check_buffer(args.data, args.data_bytes, operation.data_footprint, GARNER_ARGUMENT_DATA, report));
  GARNER_RETURN_IF_FAILED(
      check_buffer(args.indices, args.indices_bytes, operation.index_footprint, GARNER_ARGUMENT_INDICES, report));
  GARNER_RETURN_IF_FAILED(
      check_buffer(args.output, args.output_bytes, operation.output_footprint, GARNER_ARGUMENT_OUTPUT, report));
  return check_overlap(operation, args, report);
}

int64_t now_nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

garner_status run(const garner_plan& plan, const garner_args& args, const ThreadPlan& threads,
                  const ErrorReport& report) {
  // Stands in for the NULL buffers of empty tensors, so that no address arithmetic starts from NULL.
  std::byte nothing[1];
  const Buffers buffers{
      args.data != nullptr ? static_cast<const std::byte*>(args.data) : nothing,
      args.indices != nullptr ? static_cast<const std::byte*>(args.indices) : nothing,
      args.output != nullptr ? static_cast<std::byte*>(args.output) : nothing,
      args.copy,
      args.copy_ctx,
  };
  const ExecutionFailure failure = execute(plan.execution, buffers, threads.sharding, threads.executor);
  if (!failure.failed) return report.succeed();
  return report_failure(plan.operation, failure.detail, report);
}

}  // namespace

garner_status execute_plan(const garner_plan& plan, const garner_args* given, const ErrorReport& report) {
  // Small calls are nearly all overhead: nothing is looked at that the plan already knows.
  if (plan.is_small && given != nullptr && given->struct_size == sizeof(garner_args) && given->executor == nullptr &&
      given->max_threads >= 0 && buffers_are_right(plan, *given) &&
      execute_direct(plan.execution, static_cast<const std::byte*>(given->data),
                     static_cast<const std::byte*>(given->indices), static_cast<std::byte*>(given->output))) {
    return report.succeed();
  }

  garner_args converted;
  if (given == nullptr || given->struct_size != sizeof(garner_args)) {
    converted = GARNER_ARGS_INIT;
    GARNER_RETURN_IF_FAILED(accept_struct(given, GARNER_ARGUMENT_ARGS, "args", converted, report));
    given = &converted;
  }
  const garner_args& args = *given;
  Executor executor{};
  GARNER_RETURN_IF_FAILED(accept_options(args, executor, report));
  if (plan.execution.problem.tuple_count == 0) return report.succeed();
  if (!buffers_are_right(plan, args)) GARNER_RETURN_IF_FAILED(check_buffers(plan, args, report));

  const ThreadPlan threads = plan_threads(plan, args.max_threads, args.executor != nullptr ? &executor : nullptr);
  if (plan.context->settings.verbose < 2) return run(plan, args, threads, report);
  const int64_t start = now_nanoseconds();
  const garner_status status = run(plan, args, threads, report);
  log_execution(plan, threads, now_nanoseconds() - start, status);
  return status;
}

}  // namespace garner
