// SPDX-License-Identifier: Apache-2.0
#include "runtime/copy_kernel.h"

#include <algorithm>
#include <cstring>

#include "runtime/mover.h"
#include "runtime/resolver.h"
#include "runtime/slice_runs.h"

namespace garner {
namespace {

// Consecutive tuples of one block whose slices lie output_column apart, all good or all bad.
struct Segment {
  const int64_t* offsets;
  std::byte* output;
  int64_t count;
  bool bad;
};

void zero_runs(const KernelArgs& args, std::byte* dst, int64_t count) {
  if (args.output_column == args.run_bytes) {
    std::memset(dst, 0, static_cast<size_t>(count * args.run_bytes));
    return;
  }
  for (int64_t i = 0; i < count; ++i) std::memset(dst + i * args.output_column, 0, static_cast<size_t>(args.run_bytes));
}

// Longer slices gain nothing from being joined.
constexpr int64_t most_joined_bytes = 1024;

// Whether the slices of a segment follow each other in data as they do in the output. The ends alone settle it for nearly all
// segments whose slices do not.
bool is_one_run(const KernelArgs& args, const Segment& segment) {
  if (!args.detect_runs || segment.count < 2 || args.run_bytes > most_joined_bytes) return false;
  if (args.output_column != args.run_bytes || is_streaming(args.mover)) return false;
  const int64_t last = segment.count - 1;
  if (segment.offsets[last] - segment.offsets[0] != last * args.run_bytes) return false;
  bool consecutive = true;
  for (int64_t i = 0; i < last; ++i) consecutive &= segment.offsets[i + 1] - segment.offsets[i] == args.run_bytes;
  return consecutive;
}

void move_segment(const KernelArgs& args, const Segment& segment) {
  SliceRuns runs(*args.problem, args.first_run);
  const bool joined = !segment.bad && is_one_run(args, segment);
  for (int64_t run = 0; run < args.run_count; ++run, runs.next()) {
    std::byte* dst = segment.output + runs.output_offset();
    if (segment.bad) {
      zero_runs(args, dst, segment.count);
    } else if (joined) {
      std::memcpy(dst, args.data + runs.data_offset() + segment.offsets[0],
                  static_cast<size_t>(segment.count * args.run_bytes));
    } else {
      args.mover({args.data + runs.data_offset(), segment.offsets, dst, args.output_column, segment.count,
                  args.run_bytes, args.prefetch});
    }
  }
}

// Cuts a block into segments: at the ends of output rows where these are apart, and around bad tuples.
class BlockMover {
 public:
  explicit BlockMover(const KernelArgs& args)
      : args_(args),
        output_(args.output),
        left_in_row_(args.output_carry == 0 ? INT64_MAX : args.columns - args.column) {}

  void move(const int64_t* offsets, int64_t count, bool all_good) {
    while (count > 0) {
      Segment segment{offsets, output_, std::min(count, left_in_row_), false};
      if (!all_good) {
        segment.bad = offsets[0] == bad_tuple;
        const int64_t limit = segment.count;
        segment.count = 1;
        while (segment.count < limit && (offsets[segment.count] == bad_tuple) == segment.bad) ++segment.count;
      }
      move_segment(args_, segment);
      offsets += segment.count;
      count -= segment.count;
      output_ += segment.count * args_.output_column;
      if (args_.output_carry != 0) {
        left_in_row_ -= segment.count;
        if (left_in_row_ == 0) {
          left_in_row_ = args_.columns;
          output_ += args_.output_carry;
        }
      }
    }
  }

 private:
  const KernelArgs& args_;
  std::byte* output_;
  int64_t left_in_row_;
};

// All runs of a block are copied before the next block: with several runs to a slice, keep what a block touches in L1.
int64_t tuples_per_block(const KernelArgs& args) {
  if (args.run_count == 1) return kernel_block;
  constexpr int64_t l1_share = 16 * 1024;
  const int64_t slice_bytes = std::min(l1_share, args.run_count * std::min(args.run_bytes, l1_share));
  return std::clamp<int64_t>(l1_share / slice_bytes, 8, kernel_block);
}

}  // namespace

int64_t copy_kernel(const KernelArgs* args) {
  const GatherProblem& problem = *args->problem;
  const Resolver resolve = choose_resolver(problem);
  const int64_t block = tuples_per_block(*args);
  ResolverCursor cursor = start_resolver(*args);
  BlockMover mover(*args);
  alignas(64) int64_t offsets[kernel_block];
  int64_t done = 0;
  while (done < args->count) {
    const int64_t count = std::min(block, args->count - done);
    const bool all_good = resolve(*args, cursor, count, offsets);
    if (!all_good && problem.bounds != Bounds::zero) break;
    mover.move(offsets, count, all_good);
    done += count;
  }
  if (is_streaming(args->mover)) stream_fence();
  return done;
}

namespace {

// Tuples ahead to prefetch for, 0 for none. Loads of short runs overlap by themselves, more so while an emitted kernel has
// them (near_bytes); in rows shorter than the distance nothing would be far enough ahead.
int64_t choose_prefetch(const GatherProblem& problem, const MoverHints& hints) {
  constexpr int64_t least_prefetched = 65, most_prefetched = 4096, most_overlapping = 256, most_tuples = 16;
  const int64_t bytes = problem.run_bytes;
  if (!hints.allow_prefetch || bytes < least_prefetched || bytes > most_prefetched) return 0;
  const int64_t near_bytes = bytes <= most_overlapping ? 4 * hints.l2_bytes : hints.l2_bytes;
  if (hints.data_bytes <= near_bytes) return 0;
  const int64_t bytes_ahead = hints.data_bytes > hints.llc_bytes ? 8192 : 4096;
  const int64_t tuples = std::clamp<int64_t>(bytes_ahead / bytes, 1, most_tuples);
  const int64_t row = problem.dim_count > 0 ? problem.dims[problem.dim_count - 1].extent : 1;
  return row >= tuples ? tuples : 0;
}

// Whether stores should pass the caches by: when what a call reads and writes does not fit in the last level.
bool should_stream(const GatherProblem& problem, const MoverHints& hints) {
  const int64_t bytes = problem.run_bytes;
  if (!hints.allow_non_temporal || hints.isa == Isa::scalar) return false;
  // Zero fill of bad tuples uses ordinary stores, which must not meet streamed ones in a line.
  if (bytes < min_streamed_bytes || problem.bounds == Bounds::zero) return false;
  if (bytes < min_unaligned_streamed_bytes && bytes % streamed_unit != 0) return false;
  const int64_t touched = std::min(hints.data_bytes, hints.output_bytes);
  if (hints.output_bytes <= hints.llc_bytes / 4 || hints.output_bytes > INT64_MAX - touched ||
      hints.output_bytes + touched <= hints.llc_bytes) {
    return false;
  }
  // Short slices from far away wait for their loads, and streamed stores wait with them. Measured: 64 bytes from beyond the
  // caches are faster without, and up to 256 bytes from so much data that its page tables, 1/512 of it, leave L2 as well.
  constexpr int64_t line = 64, most_short = 256, data_of_page_tables = 512;
  if (bytes <= line) return hints.data_bytes <= std::max(hints.llc_bytes, 4 * hints.l2_bytes);
  return bytes > most_short || hints.data_bytes / data_of_page_tables <= hints.l2_bytes;
}

}  // namespace

MoverChoice choose_mover(const GatherProblem& problem, const MoverHints& hints) {
  const int64_t bytes = problem.run_bytes;
  const int64_t prefetch = choose_prefetch(problem, hints);
  const bool ahead = prefetch > 0;
  if (should_stream(problem, hints)) {
    if (hints.isa == Isa::avx512) {
      return {ahead ? avx512_rows_nt_ahead : avx512_rows_nt, prefetch, "rows_wide_nt"};
    }
    return {ahead ? avx2_rows_nt_ahead : avx2_rows_nt, prefetch, "rows_wide_nt"};
  }
  const NamedMover named = hints.isa == Isa::avx512 ? avx512_mover(bytes, ahead)
                           : hints.isa == Isa::avx2 ? avx2_mover(bytes, ahead)
                                                    : portable_mover(bytes, ahead);
  return {named.mover, prefetch, named.name};
}

}  // namespace garner
