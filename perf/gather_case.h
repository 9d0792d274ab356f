// SPDX-License-Identifier: Apache-2.0
// One gather with its input bytes and, where it is known, what must come out.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "perf/problem.h"
#include "perf/tensor.h"

namespace garner::perf {

// What a published case says must happen.
struct Expectation {
  std::vector<int64_t> shape;              // with `bytes` or `strings`
  std::vector<std::byte> bytes;            // dense
  std::vector<std::string> strings;        // GARNER_STRING only
  std::vector<garner_status> errors;       // not empty: the call fails with one of these
  std::optional<std::vector<int64_t>> at;  // failing position as a multi-index
};

// Moved only: the views of a string tensor point into `characters`.
struct GatherCase {
  GatherCase() = default;
  GatherCase(GatherCase&&) = default;
  GatherCase& operator=(GatherCase&&) = default;

  std::string name;
  garner_op op = GARNER_OP_INIT;
  Tensor data;
  Tensor indices;
  std::optional<Tensor> output;  // nothing: dense, of the inferred shape
  std::vector<std::byte> data_bytes;
  std::vector<std::byte> index_bytes;
  std::deque<std::string> characters;  // what the views of a string tensor point into
  std::optional<Expectation> expected;
};

garner_op operator_of(const Problem& problem);

// The tensors of a problem without contents. The output is only filled in when the problem gives its strides.
struct ProblemTensors {
  Tensor data;
  Tensor indices;
  std::optional<Tensor> output;
};
// Throws InputError with the library's own words when the shapes cannot be inferred, unless `allow_invalid`.
ProblemTensors tensors_of(const Problem& problem, bool allow_invalid);

// The dense output that the library infers, or its refusal as an InputError.
Tensor inferred_output(const garner_op& op, const Tensor& data, const Tensor& indices);

// Stores 64-bit index values, in row-major order of the tensor, at the places its strides say.
void store_indices(const Tensor& indices, const std::vector<int64_t>& values, std::byte* buffer);

// Fills a string tensor's buffer with views of `characters`, one for every slot.
void fill_string_views(const Tensor& data, std::byte* buffer, int64_t bytes, uint64_t seed,
                       std::deque<std::string>& characters);

// All buffers generated from the problem's seed. Problems that the library refuses are allowed: they test that it does.
GatherCase make_case(const NamedProblem& problem);

}  // namespace garner::perf
