// SPDX-License-Identifier: Apache-2.0
// Walks the runs of a slice in row-major order.
#pragma once

#include <cstdint>

#include "runtime/gather_problem.h"

namespace garner {

class SliceRuns {
 public:
  SliceRuns(const GatherProblem& problem, int64_t first_run) : problem_(problem) {
    for (int d = problem.slice_dim_count - 1; d >= 0; --d) {
      const SliceDim& dim = problem.slice[d];
      position_[d] = first_run % dim.extent;
      first_run /= dim.extent;
      data_offset_ += position_[d] * dim.data_stride;
      output_offset_ += position_[d] * dim.output_stride;
    }
  }

  int64_t data_offset() const { return data_offset_; }
  int64_t output_offset() const { return output_offset_; }

  void next() {
    for (int d = problem_.slice_dim_count - 1; d >= 0; --d) {
      const SliceDim& dim = problem_.slice[d];
      data_offset_ += dim.data_stride;
      output_offset_ += dim.output_stride;
      if (++position_[d] < dim.extent) return;
      data_offset_ -= dim.extent * dim.data_stride;
      output_offset_ -= dim.extent * dim.output_stride;
      position_[d] = 0;
    }
  }

 private:
  const GatherProblem& problem_;
  int64_t data_offset_ = 0;
  int64_t output_offset_ = 0;
  int64_t position_[max_rank];  // only the first slice_dim_count entries are set
};

}  // namespace garner
