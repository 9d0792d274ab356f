// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "runtime/scalar_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace garner {
namespace {

alignas(64) constexpr std::byte zeros[zeros_bytes] = {};

// One shard: tuples [begin, end), and a part of each slice.
struct Shard {
  int64_t begin;
  int64_t end;
  int64_t run_offset;  // bytes from the start of a run to where this part begins, in data and output alike
  int64_t run_bytes;
  int64_t first_run;
  int64_t run_count;
};

// Start of part `part` when `total` units are cut into `parts` that differ by at most one. No product can overflow.
int64_t part_start(int64_t total, int64_t parts, int64_t part) {
  return total / parts * part + std::min(part, total % parts);
}

Shard make_shard(const GatherProblem& problem, const Sharding& sharding, int64_t number) {
  const int64_t tuple_part = number / sharding.slice_parts;
  const int64_t slice_part = number % sharding.slice_parts;
  Shard shard{part_start(problem.tuple_count, sharding.tuple_parts, tuple_part),
              part_start(problem.tuple_count, sharding.tuple_parts, tuple_part + 1),
              0,
              problem.run_bytes,
              0,
              problem.run_count};
  if (sharding.slice_parts == 1) return shard;
  if (problem.run_count != 1) {
    shard.first_run = part_start(problem.run_count, sharding.slice_parts, slice_part);
    shard.run_count = part_start(problem.run_count, sharding.slice_parts, slice_part + 1) - shard.first_run;
    return shard;
  }
  // Whole cache lines, or whole objects of the host's. The last part takes the bytes that do not fill a unit.
  const int64_t unit = problem.element_kind == ElementKind::host_object ? problem.element_bytes : 64;
  const int64_t units = problem.run_bytes / unit;
  const bool last = slice_part + 1 == sharding.slice_parts;
  shard.run_offset = part_start(units, sharding.slice_parts, slice_part) * unit;
  shard.run_bytes =
      (last ? problem.run_bytes : part_start(units, sharding.slice_parts, slice_part + 1) * unit) - shard.run_offset;
  return shard;
}

// From one past the last column to the first of the next row. Only the way to the last column is known to fit: a plan may
// be made for places that no buffer reaches, so this wraps.
int64_t carry(int64_t row_stride, int64_t columns, int64_t column_stride) {
  return static_cast<int64_t>(static_cast<uint64_t>(row_stride) -
                              static_cast<uint64_t>(columns) * static_cast<uint64_t>(column_stride));
}

// The two innermost dims, between which a kernel carries by itself.
struct Slab {
  Dim row;
  Dim column;
  int64_t positions;
};

Slab make_slab(const GatherProblem& problem) {
  const Dim one{1, 0, 0, 0};
  Slab slab{one, one, 1};
  if (problem.dim_count >= 1) slab.column = problem.dims[problem.dim_count - 1];
  if (problem.dim_count >= 2) slab.row = problem.dims[problem.dim_count - 2];
  slab.positions = slab.row.extent * slab.column.extent;
  return slab;
}

// The plan's arguments, with as many coordinates as there are.
void copy_args(const ExecutionPlan& plan, KernelArgs& args) {
  std::memcpy(&args, &plan.args, offsetof(KernelArgs, coords));
  for (int32_t k = 0; k < plan.problem.coord_count; ++k) args.coords[k] = plan.args.coords[k];
}

// Walks the dims outside the slab.
class OuterDims {
 public:
  OuterDims(const GatherProblem& problem, int64_t slab_number)
      : problem_(problem), count_(std::max(problem.dim_count - 2, 0)) {
    for (int d = count_ - 1; d >= 0; --d) {
      const Dim& dim = problem.dims[d];
      position_[d] = slab_number % dim.extent;
      slab_number /= dim.extent;
      data_at_ += position_[d] * dim.data_stride;
      index_at_ += position_[d] * dim.index_stride;
      output_at_ += position_[d] * dim.output_stride;
    }
  }

  int64_t data_at() const { return data_at_; }
  int64_t index_at() const { return index_at_; }
  int64_t output_at() const { return output_at_; }

  void next() {
    for (int d = count_ - 1; d >= 0; --d) {
      const Dim& dim = problem_.dims[d];
      data_at_ += dim.data_stride;
      index_at_ += dim.index_stride;
      output_at_ += dim.output_stride;
      if (++position_[d] < dim.extent) return;
      data_at_ -= dim.extent * dim.data_stride;
      index_at_ -= dim.extent * dim.index_stride;
      output_at_ -= dim.extent * dim.output_stride;
      position_[d] = 0;
    }
  }

 private:
  const GatherProblem& problem_;
  const int count_;
  int64_t data_at_ = 0;
  int64_t index_at_ = 0;
  int64_t output_at_ = 0;
  int64_t position_[max_rank];  // only the first count_ entries are set
};

// Runs kernels over one shard.
class ShardRunner {
 public:
  ShardRunner(const ExecutionPlan& plan, const Buffers& buffers, const Shard& shard)
      : plan_(plan), buffers_(buffers), shard_(shard), slab_(make_slab(plan.problem)) {
    // An empty slice has no bytes to point at; the scalar kernel only checks its indices.
    empty_slice_ = shard.run_bytes == 0 || shard.run_count == 0;
    kernel_ = empty_slice_ ? scalar_kernel : plan.kernel;
    copy_args(plan, args_);
    args_.first_run = shard.first_run;
    args_.run_count = shard.run_count;
    args_.run_bytes = shard.run_bytes;
    args_.copy_element = buffers.copy_element;
    args_.copy_ctx = buffers.copy_ctx;
  }

  // False on failure; failure->position then counts from the problem's first tuple.
  bool run(KernelFailure* failure) {
    args_.failure = failure;
    OuterDims outer(plan_.problem, plan_.problem.dim_count > 2 ? shard_.begin / slab_.positions : 0);
    int64_t in_slab = plan_.problem.dim_count > 2 ? shard_.begin % slab_.positions : shard_.begin;
    for (int64_t position = shard_.begin; position < shard_.end;) {
      const int64_t count = std::min(slab_.positions - in_slab, shard_.end - position);
      const int64_t done = run_slab(outer, in_slab, count);
      if (done < count) {
        failure->position += position + done;
        return false;
      }
      position += count;
      in_slab = 0;
      outer.next();
    }
    return true;
  }

 private:
  // Returns `count`, or fewer with the failure's position counted from there.
  int64_t run_slab(const OuterDims& outer, int64_t in_slab, int64_t count) {
    int64_t done = 0;
    while (true) {
      move_to(outer, in_slab + done, count - done);
      const int64_t before = done;
      done += kernel_(&args_);
      if (done == count) return done;
      if (kernel_ == scalar_kernel) {
        args_.failure->position -= done - before;
        return done;
      }
      // Somewhere in the next block is a bad tuple, or was one when the kernel looked.
      const int64_t block = std::min(kernel_block, count - done);
      move_to(outer, in_slab + done, block);
      const int64_t scalar_done = scalar_kernel(&args_);
      done += scalar_done;
      if (scalar_done < block) {
        args_.failure->position -= scalar_done;
        return done;
      }
      if (done == count) return done;
    }
  }

  // Points the arguments at `count` positions of a slab.
  void move_to(const OuterDims& outer, int64_t in_slab, int64_t count) {
    const int64_t row = in_slab == 0 ? 0 : in_slab / args_.columns;
    const int64_t column = in_slab - row * args_.columns;
    const GatherProblem& problem = plan_.problem;
    args_.indices = buffers_.indices + (problem.index_offset + outer.index_at() + row * slab_.row.index_stride +
                                        column * slab_.column.index_stride);
    if (!empty_slice_) {
      args_.data = buffers_.data + (problem.data_offset + outer.data_at() + row * slab_.row.data_stride +
                                    column * slab_.column.data_stride + shard_.run_offset);
      args_.output = buffers_.output + (problem.output_offset + outer.output_at() + row * slab_.row.output_stride +
                                        column * slab_.column.output_stride + shard_.run_offset);
    } else {
      args_.data = nullptr;
      args_.output = nullptr;
    }
    args_.count = count;
    args_.column = column;
  }

  const ExecutionPlan& plan_;
  const Buffers& buffers_;
  const Shard& shard_;
  const Slab slab_;
  KernelFunction kernel_;
  bool empty_slice_;
  KernelArgs args_;
};

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// What the threads of one call share; lives on the caller's stack.
class ParallelRun {
 public:
  ParallelRun(const ExecutionPlan& plan, const Buffers& buffers, const Sharding& sharding)
      : plan_(plan), buffers_(buffers), sharding_(sharding) {}

  static void work(void* self, int32_t) { static_cast<ParallelRun*>(self)->claim_shards(); }

  ExecutionFailure run(const Executor& executor) {
    // Every call claims shards until none is left, so the number of calls bounds the threads.
    const int64_t shards = sharding_.shards();
    const int64_t threads = sharding_.threads > 0 ? sharding_.threads : shards;
    executor.parallel_for(executor.ctx, static_cast<int32_t>(std::min<int64_t>(threads, INT32_MAX)), work, this);
    claim_shards();                                                 // what the executor left
    while (working_.load(std::memory_order_acquire) != 0) pause();  // an executor that returned early
    return failure_;
  }

 private:
  void claim_shards() {
    // Whoever sees a shard as claimed must see its claimer at work as well.
    working_.fetch_add(1, std::memory_order_relaxed);
    for (int64_t number; (number = next_shard_.fetch_add(1, std::memory_order_acq_rel)) < sharding_.shards();) {
      const Shard shard = make_shard(plan_.problem, sharding_, number);
      // Nothing in it could be reported any more.
      if (shard.begin > lowest_failure_.load(std::memory_order_relaxed)) continue;
      KernelFailure detail;
      if (!ShardRunner(plan_, buffers_, shard).run(&detail)) report(detail, number % sharding_.slice_parts);
    }
    working_.fetch_sub(1, std::memory_order_release);
  }

  // Keeps the lowest position, and of equal ones the lowest part of the slice: the same whoever comes first.
  void report(const KernelFailure& detail, int64_t slice_part) {
    while (reporting_.test_and_set(std::memory_order_acquire)) pause();
    const bool lower = !failure_.failed || detail.position < failure_.detail.position ||
                       (detail.position == failure_.detail.position && slice_part < failed_part_);
    if (lower) {
      failure_ = {true, detail};
      failed_part_ = slice_part;
      lowest_failure_.store(detail.position, std::memory_order_relaxed);
    }
    reporting_.clear(std::memory_order_release);
  }

  const ExecutionPlan& plan_;
  const Buffers& buffers_;
  const Sharding& sharding_;
  std::atomic<int64_t> next_shard_{0};
  std::atomic<int32_t> working_{0};
  std::atomic<int64_t> lowest_failure_{INT64_MAX};
  std::atomic_flag reporting_;
  ExecutionFailure failure_{};
  int64_t failed_part_ = 0;
};

}  // namespace

void prepare_execution(ExecutionPlan& plan) {
  const GatherProblem& problem = plan.problem;
  const Slab slab = make_slab(problem);
  KernelArgs& args = plan.args;
  args.data = args.indices = nullptr;
  args.output = nullptr;
  args.count = problem.tuple_count;
  args.columns = slab.column.extent;
  args.column = 0;
  args.data_column = slab.column.data_stride;
  args.index_column = slab.column.index_stride;
  args.output_column = slab.column.output_stride;
  args.data_carry = carry(slab.row.data_stride, slab.column.extent, slab.column.data_stride);
  args.index_carry = carry(slab.row.index_stride, slab.column.extent, slab.column.index_stride);
  args.output_carry = carry(slab.row.output_stride, slab.column.extent, slab.column.output_stride);
  args.zeros = zeros;
  args.problem = &problem;
  args.first_run = 0;
  args.run_count = problem.run_count;
  args.run_bytes = problem.run_bytes;
  args.copy_element = nullptr;
  args.copy_ctx = nullptr;
  args.failure = nullptr;
  std::copy_n(problem.coords, problem.coord_count, args.coords);
  // The scalar kernel reports failures by itself and may call the host: it runs once, through ShardRunner.
  plan.is_direct = problem.dim_count <= 2 && problem.tuple_count > 0 && plan.kernel != scalar_kernel;
}

bool execute_direct(const ExecutionPlan& plan, const std::byte* data, const std::byte* indices, std::byte* output) {
  const GatherProblem& problem = plan.problem;
  KernelArgs args;
  copy_args(plan, args);
  args.data = data + problem.data_offset;
  args.indices = indices + problem.index_offset;
  args.output = output + problem.output_offset;
  return plan.kernel(&args) == args.count;
}

ExecutionFailure execute(const ExecutionPlan& plan, const Buffers& buffers, const Sharding& sharding,
                         const Executor& executor) {
  const GatherProblem& problem = plan.problem;
  if (problem.tuple_count == 0) return {};
  if (sharding.shards() > 1 && executor.parallel_for != nullptr)
    return ParallelRun(plan, buffers, sharding).run(executor);
  const Shard whole{0, problem.tuple_count, 0, problem.run_bytes, 0, problem.run_count};
  ExecutionFailure failure;
  failure.failed = !ShardRunner(plan, buffers, whole).run(&failure.detail);
  return failure;
}

}  // namespace garner
