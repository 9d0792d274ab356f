// SPDX-License-Identifier: Apache-2.0
// The buffers of one measured problem: one set of them when warm, many to rotate through when cold.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "perf/dense_gather.h"
#include "perf/gather_case.h"
#include "perf/tensor.h"

namespace garner::perf {

struct BufferSet {
  const std::byte* data;
  const std::byte* indices;
  const std::byte* legal;  // the indices with negative ones wrapped and bad ones clamped, for the probes
  std::byte* output;
};

// Random bytes that every table is the beginning of, so that a gigabyte is filled once and not per problem.
class DataPool {
 public:
  explicit DataPool(Pages pages) : pages_(pages) {}
  const std::byte* at_least(int64_t bytes);
  int64_t size() const { return buffer_.size(); }

 private:
  Pages pages_;
  Buffer buffer_;
};

class Workload {
 public:
  // Throws InputError when the library refuses the shapes or memory is short, before taking any, and Interrupted.
  Workload(const NamedProblem& problem, bool cold, Pages pages, int64_t llc_bytes, DataPool& pool);

  const BufferSet& first() const { return sets_.front(); }
  // The next set to call on. Cold: far from the one before, and back only after twice the last-level cache.
  const BufferSet& next() {
    const BufferSet& set = sets_[current_];
    current_ += step_;
    if (current_ >= sets_.size()) current_ -= sets_.size();
    return set;
  }

  // For a call on one of the sets.
  garner_args arguments(const BufferSet& set, int threads) const;

  const garner_op& op() const { return op_; }
  const ProblemTensors& tensors() const { return tensors_; }
  const Tensor& output() const { return output_; }
  int64_t data_bytes() const { return data_bytes_; }
  int64_t index_bytes() const { return index_bytes_; }
  int64_t output_bytes() const { return output_bytes_; }
  // At least as many bytes as the output has, for the copy probe.
  const std::byte* copy_source() const { return copy_source_; }
  size_t set_count() const { return sets_.size(); }
  // Nothing when a tensor is not dense, so that neither the loop nor the probes can say anything about it.
  const std::optional<DenseGather>& dense() const { return dense_; }
  // True when vector registers could hold what one tuple chooses from.
  bool table_fits_registers() const;

 private:
  void make_sets(const NamedProblem& problem, bool cold, int64_t llc_bytes);
  void write_indices(const Problem& problem, std::byte* indices, std::byte* legal) const;

  Pages pages_;
  garner_op op_;
  ProblemTensors tensors_;
  Tensor output_;
  int64_t data_bytes_ = 0;
  int64_t index_bytes_ = 0;
  int64_t output_bytes_ = 0;
  const std::byte* data_ = nullptr;
  const std::byte* copy_source_ = nullptr;
  std::optional<DenseGather> dense_;
  bool separate_legal_ = false;
  std::deque<std::string> characters_;
  std::vector<Buffer> buffers_;
  std::vector<BufferSet> sets_;
  size_t current_ = 0;
  size_t step_ = 0;
};

}  // namespace garner::perf
