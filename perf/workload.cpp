// SPDX-License-Identifier: Apache-2.0
#include "perf/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/memory.h"
#include "perf/patterns.h"

namespace garner::perf {
namespace {

constexpr int64_t line_bytes = 64;
// Tables above this are not copied to be cold: rotating over different indices reads other lines of them.
constexpr int64_t copied_table_bytes = int64_t{64} << 20;

int64_t round_to_line(int64_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }

int64_t product(const std::vector<int64_t>& extents, size_t begin, size_t end) {
  return std::accumulate(extents.begin() + to_int(begin), extents.begin() + to_int(end), int64_t{1},
                         std::multiplies<>());
}

bool dense_layout(const ProblemTensors& tensors) {
  return tensors.data.is_dense() && tensors.indices.is_dense() && (!tensors.output || tensors.output->is_dense());
}

DenseGather describe(const garner_op& op, const Tensor& data, const Tensor& indices) {
  DenseGather g = {};
  const int64_t width = data.type.bytes();
  g.elements = op.kind == GARNER_GATHER_ELEMENTS_ONNX;
  g.index_signed = indices.type.is_signed_integer();
  g.index_bytes = static_cast<int>(indices.type.bytes());
  g.bounds = op.bounds == GARNER_BOUNDS_CLAMP  ? LoopBounds::clamp
             : op.bounds == GARNER_BOUNDS_ZERO ? LoopBounds::zero
                                               : LoopBounds::error;
  g.wraps = op.negative == GARNER_NEGATIVE_WRAP ||
            (op.negative == GARNER_NEGATIVE_DEFAULT && op.kind != GARNER_GATHER_ND_OPENVINO_5);
  g.element_bytes = width;
  const std::vector<int64_t>& ds = data.shape;
  const std::vector<int64_t>& is = indices.shape;
  g.rank = static_cast<int>(ds.size());
  if (g.elements) {
    const auto axis = to_size(op.axis < 0 ? op.axis + to_int(ds.size()) : op.axis);
    g.axis = static_cast<int>(axis);
    g.positions = product(is, 0, is.size());
    g.same_rest = true;
    const std::vector<int64_t> strides = data.element_strides();
    for (size_t d = 0; d < ds.size(); ++d) {
      g.same_rest = g.same_rest && (d == axis || ds[d] == is[d]);
      g.index_shape[d] = is[d];
      g.data_stride[d] = strides[d];
    }
    g.length = is[axis];
    g.inner = product(is, axis + 1, is.size());
    g.axis_extent = ds[axis];
    g.wrap[0] = g.wraps ? g.axis_extent : 0;
    return g;
  }
  const auto batch_dims = to_size(op.batch_dims);
  g.k = is.back();
  g.positions = product(is, 0, is.size() - 1);
  g.per_batch = product(is, batch_dims, is.size() - 1);
  int64_t step = product(ds, batch_dims + to_size(g.k), ds.size()) * width;
  g.slice_bytes = step;
  for (int64_t j = g.k; j-- > 0;) {
    g.extent[j] = ds[batch_dims + to_size(j)];
    g.step[j] = step;
    g.wrap[j] = g.wraps ? g.extent[j] : 0;
    step *= g.extent[j];
  }
  g.batch_bytes = step;
  return g;
}

}  // namespace

const std::byte* DataPool::at_least(int64_t bytes) {
  if (buffer_.size() < bytes) {
    buffer_ = Buffer();  // gives the old one back first
    buffer_ = Buffer(bytes, pages_);
    fill_bytes(buffer_.data(), bytes, 7);
  }
  return buffer_.data();
}

Workload::Workload(const NamedProblem& named, bool cold, Pages pages, int64_t llc_bytes, DataPool& pool)
    : pages_(pages), op_(operator_of(named.problem)), tensors_(tensors_of(named.problem, false)) {
  output_ = tensors_.output ? *tensors_.output : inferred_output(op_, tensors_.data, tensors_.indices);
  data_bytes_ = tensors_.data.buffer_bytes();
  index_bytes_ = tensors_.indices.buffer_bytes();
  output_bytes_ = output_.buffer_bytes();
  // The indices are drawn as lists of 64-bit values and perhaps stored twice; the output is compared with another.
  const auto bytes = [](int64_t count) { return static_cast<double>(count); };
  require_memory(std::max(0.0, std::max(bytes(data_bytes_), bytes(output_bytes_)) - bytes(pool.size())) +
                     16 * bytes(tensors_.indices.element_count()) + 2 * bytes(index_bytes_) + 2 * bytes(output_bytes_) +
                     (tensors_.data.type.dtype == GARNER_STRING ? bytes(data_bytes_) : 0),
                 "measuring this problem");
  copy_source_ = pool.at_least(std::max(data_bytes_, output_bytes_));
  data_ = copy_source_;
  if (tensors_.data.type.dtype == GARNER_STRING) {
    buffers_.emplace_back(data_bytes_, pages);
    fill_string_views(tensors_.data, buffers_.back().data(), data_bytes_, named.problem.seed, characters_);
    data_ = buffers_.back().data();
  }
  if (dense_layout(tensors_)) {
    const DenseGather dense = describe(op_, tensors_.data, tensors_.indices);
    if (dense.positions > 0 && (dense.elements || dense.slice_bytes > 0)) dense_ = dense;
  }
  const Problem& problem = named.problem;
  separate_legal_ = dense_ && (problem.negative_fraction > 0 || problem.bad_fraction > 0 ||
                               problem.pattern.kind == Pattern::Kind::file);
  make_sets(named, cold, llc_bytes);
}

garner_args Workload::arguments(const BufferSet& set, int threads) const {
  garner_args args = GARNER_ARGS_INIT;
  args.max_threads = threads;
  args.data = set.data;
  args.data_bytes = to_size(data_bytes_);
  args.indices = set.indices;
  args.indices_bytes = to_size(index_bytes_);
  args.output = set.output;
  args.output_bytes = to_size(output_bytes_);
  return args;
}

bool Workload::table_fits_registers() const {
  constexpr int64_t register_table_bytes = 256;  // 64 x 32 bit, 32 x 64 bit, 128 x 16 bit, 256 x 8 bit
  if (!dense_) return false;
  if (!dense_->elements)
    return dense_->k == 1 && dense_->per_batch == dense_->positions &&
           dense_->extent[0] * dense_->slice_bytes <= register_table_bytes;
  return dense_->inner == 1 && dense_->axis_extent * dense_->element_bytes <= register_table_bytes;
}

void Workload::write_indices(const Problem& problem, std::byte* indices, std::byte* legal) const {
  std::vector<int64_t> values = generate_indices(problem);
  store_indices(tensors_.indices, values, indices);
  if (!separate_legal_) return;
  const DenseGather& g = *dense_;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t extent = g.elements ? g.axis_extent : g.extent[i % to_size(g.k)];
    if (values[i] < 0 && g.wraps && g.index_signed) values[i] += extent;
    values[i] = std::clamp<int64_t>(values[i], 0, std::max<int64_t>(0, extent - 1));
  }
  store_indices(tensors_.indices, values, legal);
}

void Workload::make_sets(const NamedProblem& named, bool cold, int64_t llc_bytes) {
  const int64_t index_step = round_to_line(index_bytes_);
  const int64_t output_step = round_to_line(output_bytes_);
  const bool copy_data = cold && data_bytes_ <= copied_table_bytes;
  const int64_t data_step = copy_data ? round_to_line(data_bytes_) : 0;
  const int64_t footprint =
      std::max<int64_t>(line_bytes, data_step + index_step * (separate_legal_ ? 2 : 1) + output_step);
  int64_t count = cold ? std::max<int64_t>(2, 2 * llc_bytes / footprint + 1) : 1;
  if (cold && !copy_data) count = std::clamp<int64_t>(count, 2, 16);

  if (count > 1) {
    const int64_t values_bytes = 16 * tensors_.indices.element_count();
    require_memory(
        static_cast<double>(count) * static_cast<double>(footprint) + static_cast<double>(values_bytes + output_bytes_),
        fmt::format("measuring this problem cold, with {} sets of buffers,", count));
  }
  buffers_.emplace_back(count * index_step, pages_);
  std::byte* indices = buffers_.back().data();
  std::byte* legal = indices;
  if (separate_legal_) {
    buffers_.emplace_back(count * index_step, pages_);
    legal = buffers_.back().data();
  }
  buffers_.emplace_back(count * output_step, pages_);
  std::byte* output = buffers_.back().data();
  std::memset(output, 0, to_size(count * output_step));  // pages are there before anything is measured
  std::byte* copies = nullptr;
  if (copy_data) {
    buffers_.emplace_back(count * data_step, pages_);
    copies = buffers_.back().data();
  }
  Problem problem = named.problem;
  for (int64_t i = 0; i < count; ++i) {
    stop_if_interrupted();
    std::byte* own_indices = indices + i * index_step;
    std::byte* own_legal = legal + i * index_step;
    if (i == 0 || !copy_data) {
      problem.seed = named.problem.seed + static_cast<uint64_t>(i);  // a shared table: other indices for every set
      write_indices(problem, own_indices, own_legal);
    } else {
      std::memcpy(own_indices, indices, to_size(index_bytes_));
      if (separate_legal_) std::memcpy(own_legal, legal, to_size(index_bytes_));
    }
    const std::byte* own_data = data_;
    if (copy_data) {
      std::memcpy(copies + i * data_step, data_, to_size(data_bytes_));
      own_data = copies + i * data_step;
    }
    sets_.push_back({own_data, own_indices, own_legal, output + i * output_step});
  }
  // A step near the golden section, without a common divisor, visits every set once per turn and no neighbours in a
  // row.
  step_ = sets_.size() > 2 ? static_cast<size_t>(0.618 * static_cast<double>(sets_.size())) | 1 : sets_.size() - 1;
  while (step_ > 1 && std::gcd(step_, sets_.size()) != 1) --step_;
  if (sets_.size() == 1) step_ = 0;
}

}  // namespace garner::perf
