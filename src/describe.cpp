// SPDX-License-Identifier: Apache-2.0
#include "src/describe.h"

#include <initializer_list>

#include "runtime/mover.h"
#include "src/dtype.h"
#include "src/problem_string.h"
#include "src/threads.h"

namespace garner {
namespace {

const char* bounds_name(Bounds bounds) {
  switch (bounds) {
    case Bounds::error: return "error";
    case Bounds::clamp: return "clamp";
    case Bounds::zero: return "zero";
  }
  return "";
}

void write_nest(TextWriter& text, const GatherProblem& problem) {
  text << "dims=";
  for (int32_t d = 0; d < problem.dim_count; ++d) {
    const Dim& dim = problem.dims[d];
    text << (d > 0 ? "," : "") << dim.extent << ':' << dim.data_stride << ':' << dim.index_stride << ':'
         << dim.output_stride;
  }
  text << "\ncoords=";
  for (int32_t k = 0; k < problem.coord_count; ++k) {
    const Coord& coord = problem.coords[k];
    text << (k > 0 ? "," : "") << coord.extent << ':' << coord.data_stride << ':' << coord.index_stride;
  }
  text << "\nslice=";
  for (int32_t d = 0; d < problem.slice_dim_count; ++d) {
    const SliceDim& dim = problem.slice[d];
    text << (d > 0 ? "," : "") << dim.extent << ':' << dim.data_stride << ':' << dim.output_stride;
  }
  text << '\n';
}

void write_reasons(TextWriter& text, const Decision& decision) {
  text << "reason=" << decision.reason << '\n';
  for (const Path path : {Path::jit, Path::copy, Path::scalar}) {
    const char* const refusal = decision.refusals[static_cast<int>(path)];
    if (refusal != nullptr) text << "not_" << path_name(path) << '=' << refusal << '\n';
  }
}

}  // namespace

void write_kernel_name(TextWriter& text, const garner_plan& plan) {
  const Decision& decision = plan.decision;
  const GatherProblem& problem = plan.execution.problem;
  if (decision.kernel != nullptr) {
    char name[jit::kernel_name_capacity];
    jit::kernel_name(decision.key, name);
    text << name;
    return;
  }
  switch (decision.path) {
    case Path::jit: return;  // always has a kernel
    case Path::copy:
      text << "copy_" << decision.mover_name << '_';
      write_short_dtype(text, plan.operation.indices.dtype, 0);
      text << "_k" << problem.coord_count << '_' << (problem.negative == Negative::wrap ? "wrap" : "reject") << '_'
           << bounds_name(problem.bounds) << "__" << isa_name(decision.isa);
      return;
    case Path::scalar: text << "scalar"; return;
  }
}

void write_description(TextWriter& text, const garner_plan& plan, int32_t max_threads) {
  const Decision& decision = plan.decision;
  const Operation& operation = plan.operation;
  const GatherProblem& problem = plan.execution.problem;
  const ThreadPlan threads = plan_threads(plan, max_threads, nullptr);

  text << "problem=";
  write_problem(text, operation);
  text << "\npath=" << path_name(decision.path) << "\nkernel=";
  write_kernel_name(text, plan);
  text << "\nisa=" << isa_name(decision.isa) << '\n';
  if (decision.path == Path::jit) text << "body=" << jit::body_name(decision.key.body) << '\n';
  write_reasons(text, decision);
  text << "shards=" << threads.sharding.shards() << "\nthreads=" << threads.sharding.threads << "\noutput_shape=";
  write_shape(text, operation.output);
  text << "\ntuples=" << problem.tuple_count << "\nslice_bytes=" << problem.run_bytes * problem.run_count
       << "\nslice_runs=" << problem.run_count << "\nrun_bytes=" << problem.run_bytes
       << "\ndata_bytes=" << operation.data.bytes() << "\nindex_bytes=" << operation.indices.bytes()
       << "\noutput_bytes=" << operation.output.bytes() << '\n';
  write_nest(text, problem);
  if (decision.path == Path::copy) {
    text << "stores=" << (is_streaming(plan.execution.args.mover) ? "non-temporal" : "ordinary")
         << "\nprefetch=" << plan.execution.args.prefetch << '\n';
  }
}

}  // namespace garner
