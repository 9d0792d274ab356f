// SPDX-License-Identifier: Apache-2.0
#include "perf/gather_case.h"

#include <fmt/format.h>

#include <cstring>

#include "perf/input_error.h"
#include "perf/memory.h"
#include "perf/patterns.h"
#include "perf/random.h"

namespace garner::perf {

garner_op operator_of(const Problem& problem) {
  garner_op op = GARNER_OP_INIT;
  op.kind = problem.kind;
  op.batch_dims = problem.batch_dims;
  op.axis = problem.axis;
  op.bounds = problem.bounds;
  op.negative = problem.negative;
  return op;
}

Tensor inferred_output(const garner_op& op, const Tensor& data, const Tensor& indices) {
  const garner_tensor data_view = data.view();
  const garner_tensor indices_view = indices.view();
  int64_t shape[GARNER_MAX_RANK];
  int32_t rank = 0;
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status =
      garner_infer_shape(&op, &data_view, &indices_view, shape, GARNER_MAX_RANK, &rank, &error);
  if (status != GARNER_OK) throw InputError(fmt::format("{}: {}", garner_status_name(status), error.text));
  Tensor output;
  output.type = data.type;
  output.shape.assign(shape, shape + rank);
  return output;
}

ProblemTensors tensors_of(const Problem& problem, bool allow_invalid) {
  ProblemTensors tensors;
  tensors.data = {problem.data_type, problem.data_shape, problem.data_strides, 0};
  tensors.indices = {problem.index_type, problem.indices_shape, problem.indices_strides, 0};
  Tensor output;
  try {
    output = inferred_output(operator_of(problem), tensors.data, tensors.indices);
  } catch (const InputError&) {
    if (!allow_invalid) throw;
    return tensors;
  }
  if (problem.output_strides || problem.offset != 0) {
    if (problem.output_strides && problem.output_strides->size() != output.shape.size()) {
      throw InputError(fmt::format("output_strides has {} strides, but the output is {}",
                                   problem.output_strides->size(), format_shape(output.shape)));
    }
    output.strides = problem.output_strides;
    output.place_lowest_byte_at(problem.offset);
    tensors.output = output;
  }
  tensors.data.place_lowest_byte_at(problem.offset);
  tensors.indices.place_lowest_byte_at(problem.offset);
  return tensors;
}

void store_indices(const Tensor& indices, const std::vector<int64_t>& values, std::byte* buffer) {
  const std::vector<int64_t> strides = indices.element_strides();
  const size_t rank = indices.shape.size();
  const int64_t bytes = indices.type.bytes();
  std::vector<int64_t> position(rank, 0);
  std::byte* place = buffer + indices.byte_offset;
  for (const int64_t value : values) {
    std::memcpy(place, &value, to_size(bytes));  // little endian: the low bytes are the narrow value
    for (size_t d = rank; d-- > 0;) {
      place += strides[d] * bytes;
      if (++position[d] < indices.shape[d]) break;
      place -= indices.shape[d] * strides[d] * bytes;
      position[d] = 0;
    }
  }
}

void fill_string_views(const Tensor& data, std::byte* buffer, int64_t bytes, uint64_t seed,
                       std::deque<std::string>& characters) {
  Random random(seed);
  const size_t first = characters.size();
  for (int i = 0; i < 61; ++i) {
    std::string text(to_size(random.below(int64_t{i + 1})), '\0');
    for (char& c : text) c = static_cast<char>(random.next());
    characters.push_back(std::move(text));
  }
  const int64_t slot = data.type.bytes();
  for (int64_t place = data.byte_offset % slot; place + slot <= bytes; place += slot) {
    const std::string& text = characters[first + to_size(random.below(int64_t{61}))];
    const garner_string_view view{text.data(), text.size()};
    std::memcpy(buffer + place, &view, sizeof view);
  }
}

GatherCase make_case(const NamedProblem& named) {
  const Problem& problem = named.problem;
  GatherCase result;
  result.name = named.name;
  result.op = operator_of(problem);
  ProblemTensors tensors = tensors_of(problem, true);
  result.data = std::move(tensors.data);
  result.indices = std::move(tensors.indices);
  result.output = std::move(tensors.output);

  const garner_tensor data_view = result.data.view();
  const garner_tensor indices_view = result.indices.view();
  int64_t shape[GARNER_MAX_RANK];
  int32_t rank = 0;
  const garner_status status =
      garner_infer_shape(&result.op, &data_view, &indices_view, shape, GARNER_MAX_RANK, &rank, nullptr);
  if (status != GARNER_OK) return result;  // planning must refuse it; there is nothing to generate

  // The indices are drawn as lists of 64-bit values; beside the right output stands the one to compare.
  const Tensor output = result.output ? *result.output : inferred_output(result.op, result.data, result.indices);
  const auto bytes = [](int64_t count) { return static_cast<double>(count); };
  require_memory(bytes(result.data.buffer_bytes()) + bytes(result.indices.buffer_bytes()) +
                     16 * bytes(result.indices.element_count()) + 2 * bytes(output.buffer_bytes()),
                 "checking this problem");
  result.data_bytes.resize(to_size(result.data.buffer_bytes()));
  fill_bytes(result.data_bytes.data(), to_int(result.data_bytes.size()), problem.seed);
  if (problem.data_type.dtype == GARNER_STRING) {
    fill_string_views(result.data, result.data_bytes.data(), to_int(result.data_bytes.size()), problem.seed,
                      result.characters);
  }
  result.index_bytes.resize(to_size(result.indices.buffer_bytes()));
  store_indices(result.indices, generate_indices(problem), result.index_bytes.data());
  return result;
}

}  // namespace garner::perf
