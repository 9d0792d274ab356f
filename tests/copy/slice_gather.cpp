// SPDX-License-Identifier: Apache-2.0
#include "tests/copy/slice_gather.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/support/catch.h"

namespace garner_test {

Place misaligned(size_t bytes, Edge edge, size_t misalignment) {
  return {edge, edge == Edge::low ? misalignment : (128 - (bytes + misalignment) % 64) % 64};
}

SliceGather::SliceGather(garner_context* context, const SliceShape& shape, SliceBuffers& buffers, Random& random)
    : shape_(shape), buffers_(buffers) {
  const int64_t data_bytes = shape.rows * shape.runs * (shape.run_bytes + shape.run_gap) - shape.run_gap;
  // In words: drawing single bytes would be what most of the time goes to.
  data_.resize((static_cast<size_t>(data_bytes) + 7) / 8 * 8);
  for (size_t at = 0; at < data_.size(); at += 8) {
    const uint64_t word = random.next();
    std::memcpy(data_.data() + at, &word, 8);
  }
  data_.resize(static_cast<size_t>(data_bytes));
  choose_indices(random);
  expect();
  make_plan(context);
}

void SliceGather::choose_indices(Random& random) {
  const size_t width = static_cast<size_t>(garner_dtype_bytes(shape_.index_type));
  const bool is_signed = shape_.index_type == GARNER_INT8 || shape_.index_type == GARNER_INT16 ||
                         shape_.index_type == GARNER_INT32 || shape_.index_type == GARNER_INT64;
  const int64_t last = shape_.rows - 1;
  const int64_t first = random.between(0, std::max<int64_t>(shape_.rows - shape_.tuples, 0));
  for (int64_t i = 0; i < shape_.tuples; ++i)
    values_.push_back(shape_.order == Order::random ? random.between(0, last) : first + i);
  if (shape_.order == Order::random) {
    // The ends of the table, where a byte too many is a fault, and the very last slice comes last.
    values_[values_.size() / 2] = 0;
    values_.back() = last;
  }
  if (shape_.order == Order::nearly) {
    for (size_t i = 20; i + 2 < values_.size(); i += 50) std::swap(values_[i], values_[i + 1]);
  }
  indices_.resize(values_.size() * width);
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool from_end = is_signed && random.chance(0.1) && values_[i] - shape_.rows >= -128;
    const int64_t value = from_end ? values_[i] - shape_.rows : values_[i];
    std::memcpy(indices_.data() + i * width, &value, width);  // little-endian: the low bytes come first
  }
}

void SliceGather::expect() {
  const auto step = static_cast<size_t>(shape_.slice_bytes() + shape_.output_gap);
  const auto run_bytes = static_cast<size_t>(shape_.run_bytes);
  const auto run_step = static_cast<size_t>(shape_.run_bytes + shape_.run_gap);
  expected_.assign(values_.size() * step - static_cast<size_t>(shape_.output_gap), 0x5A);
  before_ = expected_;
  for (size_t i = 0; i < values_.size(); ++i) {
    for (size_t run = 0; run < static_cast<size_t>(shape_.runs); ++run) {
      const size_t from = (static_cast<size_t>(values_[i]) * static_cast<size_t>(shape_.runs) + run) * run_step;
      const size_t to = i * step + run * run_bytes;
      for (size_t b = 0; b < run_bytes; ++b) {
        expected_[to + b] = data_[from + b];
        before_[to + b] = static_cast<uint8_t>(~data_[from + b]);
      }
    }
  }
}

void SliceGather::make_plan(garner_context* context) {
  const int64_t run_step = shape_.run_bytes + shape_.run_gap;
  const int64_t data_shape[] = {shape_.rows, shape_.runs, shape_.run_bytes};
  const int64_t data_strides[] = {shape_.runs * run_step, run_step, 1};
  const int64_t index_shape[] = {shape_.tuples, 1};
  const int64_t output_shape[] = {shape_.tuples, shape_.runs, shape_.run_bytes};
  const int64_t output_strides[] = {shape_.slice_bytes() + shape_.output_gap, shape_.run_bytes, 1};
  garner_tensor data = GARNER_TENSOR_INIT, indices = GARNER_TENSOR_INIT, output = GARNER_TENSOR_INIT;
  data.dtype = output.dtype = GARNER_UINT8;
  data.rank = output.rank = 3;
  data.shape = data_shape;
  data.strides = data_strides;
  indices.dtype = shape_.index_type;
  indices.rank = 2;
  indices.shape = index_shape;
  output.shape = output_shape;
  output.strides = output_strides;
  const garner_op op = gather_nd();
  garner_plan* plan = nullptr;
  garner_error error = no_error();
  garner_plan_create(context, &op, &data, &indices, &output, &plan, &error);
  INFO(error.text);
  REQUIRE(plan != nullptr);
  plan_.reset(plan);
  kernel_ = describe(plan, 1)["kernel"];
}

void SliceGather::place_inputs(Place data, Place indices) {
  std::memcpy(buffers_.data.place(data_.size(), data.edge, data.gap), data_.data(), data_.size());
  std::memcpy(buffers_.indices.place(indices_.size(), indices.edge, indices.gap), indices_.data(), indices_.size());
  buffers_.data.make_read_only();
  buffers_.indices.make_read_only();
}

std::string SliceGather::run(Place output) {
  std::byte* const dst = buffers_.output.place(expected_.size(), output.edge, output.gap);
  std::memcpy(dst, before_.data(), before_.size());
  garner_args args = arguments();
  args.data = buffers_.data.data();
  args.data_bytes = data_.size();
  args.indices = buffers_.indices.data();
  args.indices_bytes = indices_.size();
  args.output = dst;
  args.output_bytes = expected_.size();
  args.max_threads = 1;
  garner_error error = no_error();
  const garner_status status = garner_plan_execute(plan_.get(), &args, &error);
  std::string wrong;
  if (status != GARNER_OK) wrong = std::string("status ") + garner_status_name(status) + ": " + error.text;
  if (wrong.empty() && std::memcmp(dst, expected_.data(), expected_.size()) != 0) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(dst);
    const auto first = std::mismatch(expected_.begin(), expected_.end(), bytes).first - expected_.begin();
    wrong = "byte " + std::to_string(first) + " of " + std::to_string(expected_.size()) + " is wrong";
  }
  if (wrong.empty() && !buffers_.output.surroundings_intact()) wrong = "bytes around the output were written";
  if (wrong.empty()) return wrong;
  return wrong + " (output " + std::to_string(reinterpret_cast<uintptr_t>(dst) % 64) + " bytes behind a line, " +
         std::to_string(output.gap) + " from the " + (output.edge == Edge::low ? "lower" : "upper") + " edge, data " +
         std::to_string(reinterpret_cast<uintptr_t>(args.data) % 64) + " behind a line)";
}

}  // namespace garner_test
