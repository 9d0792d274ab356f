// SPDX-License-Identifier: Apache-2.0
// What the tests of garner-perf share.
#pragma once

#include <functional>
#include <string>

#include "perf/input_error.h"
#include "perf/record.h"

namespace garner::perf {

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The text of the InputError that the call throws; "" when it throws none.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A result of 100 us under a ceiling of 80 us, with rounds around it.
inline Record sample_record(const std::string& problem = "gathernd:f32:4096:i64:262144x1") {
  Record record;
  record.problem = record.name = problem;
  record.path = "jit";
  record.kernel = "gather_x32_loads";
  record.dtype = "f32";
  record.index_dtype = "i64";
  record.cache = "warm";
  record.pages = "normal";
  record.p50_ns = 100e3;
  record.output_bytes = 1 << 20;
  record.index_bytes = 1 << 21;
  record.data_bytes = 1 << 14;
  record.ceiling = {60e3, 70e3, 80e3, 80e3};
  for (int i = -4; i <= 4; ++i) record.of_ceiling_rounds.push_back(0.8 + 0.001 * i);
  record.verified = true;
  record.environment = {{"cpu", "Some CPU"}, {"build", "garner 0"}};
  return record;
}

}  // namespace garner::perf
