// SPDX-License-Identifier: Apache-2.0
#include "src/context.h"

#include <algorithm>
#include <new>

#include "runtime/cpu_quota.h"
#include "runtime/execute.h"
#include "src/struct_size.h"

namespace {

garner::Isa capped_isa(garner::Isa isa, int32_t max_isa) {
  switch (max_isa) {
    case GARNER_ISA_SCALAR: return garner::Isa::scalar;
    case GARNER_ISA_AVX2: return std::min(isa, garner::Isa::avx2);
    default: return isa;
  }
}

garner::jit::Body forced_body(int32_t body) {
  switch (body) {
    case GARNER_BODY_TABLE: return garner::jit::Body::table;
    case GARNER_BODY_HARDWARE: return garner::jit::Body::hardware;
    default: return garner::jit::Body::loads;
  }
}

const char* folder_or_null(const char* folder) { return *folder != '\0' ? folder : nullptr; }

}  // namespace

garner_context::garner_context(const garner::Allocator& given_allocator, const garner::Executor& given_executor,
                               const garner::Log& given_log, const garner::Settings& given_settings)
    : allocator(given_allocator),
      executor(given_executor),
      log(given_log),
      settings(given_settings),
      cpu(garner::detect_cpu()),
      isa(capped_isa(cpu.isa, settings.max_isa)),
      llc_bytes(settings.llc_bytes > 0 ? settings.llc_bytes : garner::llc_share_bytes(cpu, garner::online_cpus())),
      min_shard_bytes(settings.min_shard_bytes >= 0 ? settings.min_shard_bytes : garner::default_min_shard_bytes),
      preferences{},
      cache(allocator, settings.code_cache_bytes,
            {folder_or_null(settings.dump_folder), folder_or_null(settings.perf_map_folder)}) {
  const auto enabled = [this](uint32_t bit) { return (settings.disable & bit) == 0; };
  preferences.isa = isa;
  preferences.vbmi = cpu.vbmi && isa == garner::Isa::avx512;
  preferences.body_forced = settings.body != GARNER_BODY_AUTO;
  preferences.forced_body = forced_body(settings.body);
  preferences.calibrate = settings.calibrate;
  preferences.allow_table = enabled(GARNER_DISABLE_TABLE);
  preferences.allow_hardware = enabled(GARNER_DISABLE_HARDWARE);
  preferences.detect_rows = enabled(GARNER_DISABLE_ROWS);
  preferences.allow_folding = enabled(GARNER_DISABLE_FOLDING);
  preferences.allow_slices = enabled(GARNER_DISABLE_SLICES);
  preferences.allow_prefetch = enabled(GARNER_DISABLE_PREFETCH);
  preferences.l2_bytes = cpu.l2_bytes;
  preferences.llc_bytes = llc_bytes;
}

namespace garner {
namespace {

constexpr int64_t default_code_cache_bytes = int64_t{4} << 20;
constexpr uint32_t all_disable_bits = (uint32_t{GARNER_DISABLE_SLICES} << 1) - 1;

// Constant-initialized: no constructor runs at load time.
std::atomic<garner_context*> default_context{nullptr};

garner_status check_range(const char* name, int64_t value, int64_t lowest, int64_t highest, const ErrorReport& report) {
  if (value >= lowest && value <= highest) return GARNER_OK;
  return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_CONTEXT, "option ", name, " is ", value,
                     "; it must be in ", lowest, "..", highest);
}

garner_status check_options(const garner_context_options& options, const ErrorReport& report) {
  GARNER_RETURN_IF_FAILED(check_range("jit", options.jit, GARNER_JIT_AUTO, GARNER_JIT_OFF, report));
  GARNER_RETURN_IF_FAILED(check_range("max_isa", options.max_isa, GARNER_ISA_AUTO, GARNER_ISA_AVX512, report));
  GARNER_RETURN_IF_FAILED(check_range("path", options.path, GARNER_PATH_AUTO, GARNER_PATH_SCALAR, report));
  GARNER_RETURN_IF_FAILED(check_range("body", options.body, GARNER_BODY_AUTO, GARNER_BODY_HARDWARE, report));
  GARNER_RETURN_IF_FAILED(
      check_range("calibration", options.calibration, GARNER_CALIBRATION_ON, GARNER_CALIBRATION_OFF, report));
  GARNER_RETURN_IF_FAILED(check_range("threads", options.threads, 0, INT32_MAX, report));
  GARNER_RETURN_IF_FAILED(check_range("disable", options.disable, 0, all_disable_bits, report));
  GARNER_RETURN_IF_FAILED(check_range("code_cache_bytes", options.code_cache_bytes, 0, INT64_MAX, report));
  GARNER_RETURN_IF_FAILED(check_range("llc_bytes", options.llc_bytes, 0, INT64_MAX, report));
  GARNER_RETURN_IF_FAILED(check_range("min_shard_bytes", options.min_shard_bytes, -1, INT64_MAX, report));
  GARNER_RETURN_IF_FAILED(check_range("verbose", options.verbose, 0, 2, report));
  return check_range("reserved", options.reserved, 0, 0, report);
}

garner_status accept_allocator(const garner_allocator* given, Allocator& allocator, const ErrorReport& report) {
  allocator = malloc_allocator();
  if (given == nullptr) return GARNER_OK;
  if ((given->allocate == nullptr) != (given->release == nullptr)) {
    return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_CONTEXT, "allocator has ",
                       given->allocate == nullptr ? "no allocate" : "no release",
                       "; it needs both functions or neither");
  }
  if (given->allocate != nullptr) allocator = {given->ctx, given->allocate, given->release};
  return GARNER_OK;
}

Settings to_settings(const garner_context_options& options) {
  Settings settings;
  settings.jit = options.jit;
  settings.max_isa = options.max_isa;
  settings.path = options.path;
  settings.body = options.body;
  settings.calibrate = options.calibration == GARNER_CALIBRATION_ON;
  settings.threads = options.threads;
  settings.disable = options.disable;
  settings.verbose = options.verbose;
  settings.code_cache_bytes = options.code_cache_bytes > 0 ? options.code_cache_bytes : default_code_cache_bytes;
  settings.llc_bytes = options.llc_bytes;
  settings.min_shard_bytes = options.min_shard_bytes;
  settings.dump_folder[0] = '\0';
  settings.perf_map_folder[0] = '\0';
  return settings;
}

}  // namespace

garner_status accept_executor(const garner_executor& given, int32_t argument, Executor& executor,
                              const ErrorReport& report) {
  garner_executor full = GARNER_EXECUTOR_INIT;
  GARNER_RETURN_IF_FAILED(accept_struct(&given, argument, "executor", full, report));
  if (full.concurrency == nullptr || full.parallel_for == nullptr) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, full.concurrency == nullptr ? "concurrency" : "parallel_for",
                       " of executor is NULL; it needs both functions");
  }
  if (full.reserved != 0) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "reserved field of executor is ", uint64_t{full.reserved},
                       "; it must be 0");
  }
  executor = {full.ctx, full.concurrency, full.parallel_for};
  return GARNER_OK;
}

garner_status create_context(const garner_context_options* options, garner_context** context,
                             const ErrorReport& report) {
  garner_context_options full = GARNER_CONTEXT_OPTIONS_INIT;
  if (options != nullptr) {
    GARNER_RETURN_IF_FAILED(accept_struct(options, GARNER_ARGUMENT_CONTEXT, "options", full, report));
  }
  GARNER_RETURN_IF_FAILED(check_options(full, report));
  Allocator allocator;
  GARNER_RETURN_IF_FAILED(accept_allocator(full.allocator, allocator, report));
  Executor executor{};
  if (full.executor != nullptr) {
    GARNER_RETURN_IF_FAILED(accept_executor(*full.executor, GARNER_ARGUMENT_CONTEXT, executor, report));
  }
  const Log log{full.log, full.log_ctx};
  Settings settings = to_settings(full);
  read_environment(settings, log);
  if (log.log == nullptr) settings.verbose = 0;

  void* const memory = allocator.allocate(allocator.ctx, sizeof(garner_context), alignof(garner_context));
  if (memory == nullptr) {
    return report.fail(GARNER_OUT_OF_MEMORY, GARNER_ARGUMENT_NONE, "no memory for a context of ",
                       uint64_t{sizeof(garner_context)}, " bytes");
  }
  *context = new (memory) garner_context(allocator, executor, log, settings);
  return GARNER_OK;
}

void release(garner_context* context) {
  if (context == nullptr || context->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const Allocator allocator = context->allocator;
  context->~garner_context();
  allocator.release(allocator.ctx, context, sizeof(garner_context), alignof(garner_context));
}

garner_status find_context(garner_context* given, garner_context** context, const ErrorReport& report) {
  *context = given != nullptr ? given : default_context.load(std::memory_order_acquire);
  if (*context != nullptr) return GARNER_OK;
  garner_context* created = nullptr;
  GARNER_RETURN_IF_FAILED(create_context(nullptr, &created, report));
  garner_context* winner = nullptr;
  if (default_context.compare_exchange_strong(winner, created, std::memory_order_acq_rel)) {
    *context = created;
  } else {
    release(created);
    *context = winner;
  }
  return GARNER_OK;
}

garner_context* existing_default_context() { return default_context.load(std::memory_order_acquire); }

}  // namespace garner
