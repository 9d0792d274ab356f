// SPDX-License-Identifier: Apache-2.0
// What plans share: options, CPU facts, allocator, threads, and the code cache.
#pragma once

#include <garner/garner.h>

#include <atomic>
#include <cstdint>

#include "jit/kernel_cache.h"
#include "jit/select.h"
#include "runtime/allocator.h"
#include "runtime/cpu.h"
#include "runtime/executor.h"
#include "src/environment.h"
#include "src/error.h"

// Reference-counted: one reference is the caller's, one each plan's.
struct garner_context {
  garner_context(const garner::Allocator& allocator, const garner::Executor& executor, const garner::Log& log,
                 const garner::Settings& settings);

  std::atomic<int64_t> references{1};
  garner::Allocator allocator;
  garner::Executor executor;  // parallel_for NULL: none given
  garner::Log log;
  garner::Settings settings;
  garner::CpuFacts cpu;
  garner::Isa isa;  // the CPU's, capped by the options
  int64_t llc_bytes;
  int64_t min_shard_bytes;
  garner::jit::Preferences preferences;
  garner::jit::KernelCache cache;
  std::atomic<bool> executable_memory_refused{false};  // once seen, never tried again
};

namespace garner {

garner_status create_context(const garner_context_options* options, garner_context** context,
                             const ErrorReport& report);

inline void retain(garner_context& context) { context.references.fetch_add(1, std::memory_order_relaxed); }
void release(garner_context* context);  // NULL allowed

// `given`, or the process-wide default when it is NULL; made on first need and never destroyed, so that no order of
// destruction at exit can hurt. Without a reference for the caller.
garner_status find_context(garner_context* given, garner_context** context, const ErrorReport& report);

// The default context if it exists already.
garner_context* existing_default_context();

// Checks a garner_executor; `argument` is where it came in.
garner_status accept_executor(const garner_executor& given, int32_t argument, Executor& executor,
                              const ErrorReport& report);

}  // namespace garner
