// SPDX-License-Identifier: Apache-2.0
// The variables that stand in for options.
#pragma once

#include <garner/garner.h>

#include <cstddef>
#include <cstdint>

namespace garner {

inline constexpr size_t folder_capacity = 4096;

// Where warnings and log lines go; log NULL: nowhere.
struct Log {
  garner_log_fn log;
  void* ctx;
  void write(const char* text) const {
    if (log != nullptr) log(ctx, text);
  }
};

// What a context works with: the caller's options, completed by variables and defaults.
struct Settings {
  int32_t jit;      // GARNER_JIT_...
  int32_t max_isa;  // GARNER_ISA_...
  int32_t path;     // GARNER_PATH_...
  int32_t body;     // GARNER_BODY_...
  bool calibrate;
  int32_t threads;  // 0: no limit
  uint32_t disable;
  int32_t verbose;
  int64_t code_cache_bytes;
  int64_t llc_bytes;                  // 0: the CPU's
  int64_t min_shard_bytes;            // -1: the default
  char dump_folder[folder_capacity];  // empty: none
  char perf_map_folder[folder_capacity];
};

// Fills from the environment what `settings` leaves unset (0; -1 for min_shard_bytes; empty) and joins the disable
// bits. Values that mean nothing are reported through `log` and ignored.
void read_environment(Settings& settings, const Log& log);

}  // namespace garner
