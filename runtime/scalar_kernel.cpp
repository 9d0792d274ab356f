// SPDX-License-Identifier: Apache-2.0
#include "runtime/scalar_kernel.h"

#include <cstring>

#include "runtime/load_index.h"
#include "runtime/resolve.h"
#include "runtime/slice_runs.h"

namespace garner {
namespace {

// Copies one run, or zeroes it when src is null. The sizes of elements compile to single moves.
void copy_run(std::byte* dst, const std::byte* src, int64_t bytes) {
  if (src == nullptr) {
    std::memset(dst, 0, static_cast<size_t>(bytes));
    return;
  }
  switch (bytes) {
    case 1: std::memcpy(dst, src, 1); break;
    case 2: std::memcpy(dst, src, 2); break;
    case 4: std::memcpy(dst, src, 4); break;
    case 8: std::memcpy(dst, src, 8); break;
    case 16: std::memcpy(dst, src, 16); break;
    default: std::memcpy(dst, src, static_cast<size_t>(bytes)); break;
  }
}

// Hands one run to the host element by element. Returns what the first failing callback returned.
int32_t copy_host_run(const KernelArgs& args, std::byte* dst, const std::byte* src) {
  const int64_t step = args.problem->element_bytes;
  for (int64_t at = 0; at < args.run_bytes; at += step) {
    const int32_t code = args.copy_element(args.copy_ctx, dst + at, src == nullptr ? nullptr : src + at);
    if (code != 0) return code;
  }
  return 0;
}

// Copies this call's part of one slice; src null: zeroes it.
int32_t copy_slice(const KernelArgs& args, std::byte* dst, const std::byte* src) {
  const GatherProblem& problem = *args.problem;
  SliceRuns runs(problem, args.first_run);
  for (int64_t run = 0; run < args.run_count; ++run, runs.next()) {
    const std::byte* run_src = src == nullptr ? nullptr : src + runs.data_offset();
    if (problem.element_kind == ElementKind::host_object) {
      const int32_t code = copy_host_run(args, dst + runs.output_offset(), run_src);
      if (code != 0) return code;
    } else {
      copy_run(dst + runs.output_offset(), run_src, args.run_bytes);
    }
  }
  return 0;
}

template <typename Index>
int64_t run(const KernelArgs& args) {
  const GatherProblem& problem = *args.problem;
  const int coord_count = problem.coord_count;
  Axis axes[max_rank];
  for (int k = 0; k < coord_count; ++k) axes[k] = make_axis(args.coords[k], problem);
  const bool empty_slice = args.run_bytes == 0 || args.run_count == 0;
  const bool plain_run = problem.slice_dim_count == 0 && problem.element_kind == ElementKind::bytes;

  int64_t column = args.column;
  int64_t data_at = 0;  // of the tuple (0,...,0) at this position, from args.data on
  int64_t index_at = 0;
  int64_t output_at = 0;
  for (int64_t position = 0; position < args.count; ++position) {
    int64_t slice_at = data_at;
    bool zeroed = false;
    for (int k = 0; k < coord_count; ++k) {
      const int64_t value = load_index<Index>(args.indices + (index_at + axes[k].index_stride));
      int64_t place = wrapped(value, axes[k]);
      if (!on_axis(place, axes[k])) [[unlikely]] {
        if (problem.bounds == Bounds::zero) {
          zeroed = true;
          break;
        }
        if (problem.bounds == Bounds::error || axes[k].extent == 0) {
          *args.failure = {position, value, axes[k].extent, k, 0};
          return position;
        }
        place = clamped<Index>(place, axes[k]);
      }
      slice_at += place * axes[k].data_stride;
    }
    if (!empty_slice) {
      std::byte* dst = args.output + output_at;
      const std::byte* src = zeroed ? nullptr : args.data + slice_at;
      if (plain_run) {
        copy_run(dst, src, args.run_bytes);
      } else if (const int32_t code = copy_slice(args, dst, src)) {
        *args.failure = {position, 0, 0, 0, code};
        return position;
      }
    }
    data_at += args.data_column;
    index_at += args.index_column;
    output_at += args.output_column;
    if (++column == args.columns) {
      column = 0;
      data_at += args.data_carry;
      index_at += args.index_carry;
      output_at += args.output_carry;
    }
  }
  return args.count;
}

}  // namespace

int64_t scalar_kernel(const KernelArgs* args) {
  return with_index_type(args->problem->index_type, [args](auto index) { return run<decltype(index)>(*args); });
}

}  // namespace garner
