// SPDX-License-Identifier: Apache-2.0
// Runs one problem on every route and compares with what is right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <garner/garner.h>

#include "tests/support/routes.h"
#include "tests/support/tensor.h"

namespace garner_test {

struct Problem {
  garner_op op;
  Tensor data;
  Tensor indices;
  Layout output_layout = Layout::dense;
};

// The arguments of a call on the problem's own bytes; no limit of threads.
garner_args arguments(const Problem& problem, void* output, size_t output_bytes);
inline garner_args arguments(const Problem& problem, Bytes& output) {
  return arguments(problem, output.data(), output.size());
}

// The answer: a status, and with it either the output or the failing index.
struct Expected {
  garner_status status = GARNER_OK;
  Shape shape;
  Bytes output;                                     // row-major
  std::optional<std::vector<std::string>> strings;  // instead of output: what the views of the output hold
  std::vector<garner_status> also;                  // further statuses that are right
  int64_t position = 0;
  std::optional<int32_t> coordinate, axis;
  std::optional<int64_t> value, extent;
};

Expected answer(Shape shape, Bytes output);
template <class T>
Expected answer(Shape shape, const std::vector<T>& values) {
  return answer(std::move(shape), bytes_of(values));
}
Expected refusal(garner_status status);
Expected out_of_bounds(int64_t position);
Expected out_of_bounds(int64_t position, int32_t coordinate, int32_t axis, int64_t value, int64_t extent);

// What one run on one route gave.
struct Outcome {
  bool applied = true;  // false: the route cannot take the problem, why_not says why
  std::string why_not;
  garner_status status = GARNER_OK;
  garner_error error = GARNER_ERROR_INIT;
  Shape shape;
  Bytes output;
  bool inside = true;  // no byte was written that is not an element of the output
  Description description;
};

// Plans and executes with at most `threads` threads; output bytes lie between canaries.
Outcome run(const Route& route, const Problem& problem, int32_t threads);

// How often something ran, so that nothing passes by not running.
struct Tally {
  int64_t runs = 0;
  int64_t not_applied = 0;
  int64_t sharded = 0;  // runs of more than one shard
  std::map<std::string, int64_t> per_route;
  Tally& operator+=(const Tally& other);
};
std::string to_text(const Tally& tally);

// Every route at 1, 2 and 7 threads, plus the one-call form; all must give the expected answer. CHECKs; never stops early.
Tally expect_everywhere(const Problem& problem, const Expected& expected);

}  // namespace garner_test
