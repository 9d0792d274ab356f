// SPDX-License-Identifier: Apache-2.0
// The functions of the C API: each opens the caller's error, checks its own pointers and hands over.
#include <garner/garner.h>

#include <algorithm>

#include "src/context.h"
#include "src/describe.h"
#include "src/dtype.h"
#include "src/error.h"
#include "src/execution.h"
#include "src/operation.h"
#include "src/plan.h"
#include "src/prepare.h"

namespace {

// A place for a result that may not be NULL.
garner_status need_result(const void* place, const char* name, const garner::ErrorReport& report) {
  if (place != nullptr) return GARNER_OK;
  return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_RESULT, name, " is NULL; it receives the result");
}

#if defined(__clang__)
#define GARNER_COMPILER "clang " __clang_version__
#else
#define GARNER_COMPILER "gcc " __VERSION__
#endif

}  // namespace

const char* garner_version(void) noexcept { return GARNER_VERSION_STRING; }

int32_t garner_abi_version(void) noexcept { return GARNER_ABI_VERSION; }

const char* garner_build_info(void) noexcept {
  return "garner " GARNER_VERSION_STRING ", " GARNER_COMPILER
         ", JIT "
#if GARNER_HAVE_JIT
         "on"
#else
         "off"
#endif
         ", oneTBB "
#if GARNER_HAVE_TBB
         "on";
#else
         "off";
#endif
}

const char* garner_status_name(garner_status status) noexcept {
  switch (status) {
    case GARNER_OK: return "OK";
    case GARNER_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case GARNER_INVALID_SHAPE: return "INVALID_SHAPE";
    case GARNER_UNSUPPORTED: return "UNSUPPORTED";
    case GARNER_OUT_OF_BOUNDS: return "OUT_OF_BOUNDS";
    case GARNER_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case GARNER_OVERLAP: return "OVERLAP";
    case GARNER_CALLBACK_FAILED: return "CALLBACK_FAILED";
    case GARNER_VERSION: return "VERSION";
    case GARNER_INTERNAL: return "INTERNAL";
    default: return "UNKNOWN";
  }
}

const char* garner_dtype_name(garner_dtype dtype) noexcept {
  const char* const name = garner::dtype_info(dtype).name;
  return name != nullptr ? name : "unknown";
}

int64_t garner_dtype_bytes(garner_dtype dtype) noexcept { return garner::dtype_info(dtype).bytes; }

garner_status garner_infer_shape(const garner_op* op, const garner_tensor* data, const garner_tensor* indices,
                                 int64_t* out_shape, int32_t capacity, int32_t* out_rank,
                                 garner_error* error) noexcept {
  const garner::ErrorReport report(error);
  GARNER_RETURN_IF_FAILED(report.open());
  GARNER_RETURN_IF_FAILED(need_result(out_rank, "out_rank", report));
  garner::GivenOperands given;
  garner::Operation operation;
  GARNER_RETURN_IF_FAILED(garner::infer_operation(op, data, indices, nullptr, given, operation, report));
  const garner::Tensor& output = operation.output;
  *out_rank = output.rank;
  if (output.rank > 0) GARNER_RETURN_IF_FAILED(need_result(out_shape, "out_shape", report));
  if (out_shape != nullptr) std::copy_n(output.shape, std::clamp(capacity, 0, output.rank), out_shape);
  if (capacity < output.rank) {
    return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_RESULT, "capacity is ", capacity,
                       "; the output has rank ", output.rank);
  }
  return report.succeed();
}

garner_status garner_context_create(const garner_context_options* options, garner_context** context,
                                    garner_error* error) noexcept {
  const garner::ErrorReport report(error);
  if (context != nullptr) *context = nullptr;
  GARNER_RETURN_IF_FAILED(report.open());
  GARNER_RETURN_IF_FAILED(need_result(context, "context", report));
  GARNER_RETURN_IF_FAILED(garner::create_context(options, context, report));
  return report.succeed();
}

void garner_context_destroy(garner_context* context) noexcept { garner::release(context); }

garner_status garner_context_prepare(garner_context* context, const garner_op* op, garner_dtype dtype,
                                     int64_t element_bytes, garner_dtype index_dtype, int32_t K,
                                     garner_error* error) noexcept {
  const garner::ErrorReport report(error);
  GARNER_RETURN_IF_FAILED(report.open());
  GARNER_RETURN_IF_FAILED(garner::find_context(context, &context, report));
  GARNER_RETURN_IF_FAILED(garner::prepare_kernels(*context, op, dtype, element_bytes, index_dtype, K, report));
  return report.succeed();
}

garner_status garner_context_trim(garner_context* context, int64_t bytes) noexcept {
  if (bytes < 0) return GARNER_INVALID_ARGUMENT;
  if (context == nullptr) context = garner::existing_default_context();
  if (context != nullptr) context->cache.trim(bytes);
  return GARNER_OK;
}

garner_status garner_plan_create(garner_context* context, const garner_op* op, const garner_tensor* data,
                                 const garner_tensor* indices, const garner_tensor* output, garner_plan** plan,
                                 garner_error* error) noexcept {
  const garner::ErrorReport report(error);
  if (plan != nullptr) *plan = nullptr;
  GARNER_RETURN_IF_FAILED(report.open());
  GARNER_RETURN_IF_FAILED(need_result(plan, "plan", report));
  GARNER_RETURN_IF_FAILED(garner::find_context(context, &context, report));
  GARNER_RETURN_IF_FAILED(garner::create_plan(*context, op, data, indices, output, plan, report));
  return report.succeed();
}

garner_status garner_plan_execute(const garner_plan* plan, const garner_args* args, garner_error* error) noexcept {
  const garner::ErrorReport report(error);
  GARNER_RETURN_IF_FAILED(report.open());
  if (plan == nullptr) return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_PLAN, "plan is NULL");
  return garner::execute_plan(*plan, args, report);
}

garner_status garner_plan_describe(const garner_plan* plan, int32_t max_threads, char* text, size_t capacity,
                                   size_t* needed) noexcept {
  if (plan == nullptr || max_threads < 0 || (text == nullptr && capacity > 0)) return GARNER_INVALID_ARGUMENT;
  garner::TextWriter writer(text, capacity);
  garner::write_description(writer, *plan, max_threads);
  if (needed != nullptr) *needed = writer.needed();
  return GARNER_OK;
}

void garner_plan_destroy(garner_plan* plan) noexcept { garner::destroy_plan(plan); }

garner_status garner_execute(garner_context* context, const garner_op* op, const garner_tensor* data,
                             const garner_tensor* indices, const garner_tensor* output, const garner_args* args,
                             garner_error* error) noexcept {
  const garner::ErrorReport report(error);
  GARNER_RETURN_IF_FAILED(report.open());
  GARNER_RETURN_IF_FAILED(garner::find_context(context, &context, report));
  garner_plan plan;
  GARNER_RETURN_IF_FAILED(garner::open_plan(*context, op, data, indices, output, plan, report));
  const garner_status status = garner::execute_plan(plan, args, report);
  garner::close_plan(plan);
  return status;
}
