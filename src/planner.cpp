// SPDX-License-Identifier: Apache-2.0
#include "src/planner.h"

#include "jit/select.h"
#include "runtime/copy_kernel.h"
#include "runtime/mover.h"
#include "runtime/scalar_kernel.h"

namespace garner {
namespace {

// From this size on a run is worth a call of the mover although it holds one element only.
constexpr int64_t smallest_lone_run_bytes = 64;
constexpr int64_t cache_line_bytes = 64;

// Under clamp there is nothing to clamp to, under zero nothing but bad tuples: not worth a branch in any fast kernel.
bool has_empty_axis(const GatherProblem& problem) {
  if (problem.bounds == Bounds::error) return false;
  for (int32_t k = 0; k < problem.coord_count; ++k) {
    if (problem.coords[k].extent == 0) return true;
  }
  return false;
}

bool is_scattered(const GatherProblem& problem) {
  return problem.run_count > 1 && problem.run_bytes == problem.element_bytes &&
         problem.run_bytes < smallest_lone_run_bytes;
}

// Why only the scalar path can run the problem; NULL: others can.
const char* needs_scalar(const GatherProblem& problem) {
  if (problem.element_kind == ElementKind::host_object)
    return "elements are host objects, which only a callback can copy";
  if (problem.tuple_count == 0) return "there are no tuples, nothing runs";
  if (problem.run_bytes == 0) return "slices are empty, only the indices are checked";
  if (has_empty_axis(problem)) return "an axis of extent 0 makes every index bad";
  return nullptr;
}

// Why the copy path cannot run the problem; NULL: it can.
const char* copy_refusal(const GatherProblem& problem) {
  if (const char* const why = needs_scalar(problem)) return why;
  if (is_scattered(problem)) return "slices scatter element by element";
  return nullptr;
}

constexpr const char* memory_refused = "the system refuses executable memory";

// Why no emitted kernel may run at all in this context; NULL: one may.
const char* jit_barrier(const garner_context& context) {
  if (context.settings.jit == GARNER_JIT_OFF) return "GARNER_JIT=off";
  if (context.cpu.isa == Isa::scalar) return "this CPU has no AVX2";
  if (context.isa == Isa::scalar) return "GARNER_MAX_ISA=scalar";
  if (context.executable_memory_refused.load(std::memory_order_relaxed)) return memory_refused;
  return nullptr;
}

class Planner {
 public:
  Planner(garner_context& context, const Operation& operation, Decision& decision, ExecutionPlan& execution,
          const ErrorReport& report)
      : context_(context),
        operation_(operation),
        problem_(execution.problem),
        decision_(decision),
        execution_(execution),
        report_(report) {}

  garner_status plan() {
    decision_.kernel = nullptr;
    decision_.mover_name = nullptr;
    execution_.args.mover = nullptr;
    execution_.args.prefetch = 0;
    execution_.args.detect_runs = false;
    execution_.min_shard_bytes = context_.min_shard_bytes;
    execution_.tuple_cost_bytes = tuple_cost_bytes();
    switch (context_.settings.path) {
      case GARNER_PATH_JIT: return plan_forced_jit();
      case GARNER_PATH_COPY: return plan_forced_copy();
      case GARNER_PATH_SCALAR:
        take_scalar("the path is forced");
        refuse_others("the path scalar is forced");
        return GARNER_OK;
      default: return plan_best();
    }
  }

 private:
  garner_status plan_forced_jit() {
    const char* refusal = nullptr;
    GARNER_RETURN_IF_FAILED(try_jit(refusal));
    if (refusal != nullptr) return refuse("jit", refusal);
    refuse_others("the path jit is forced");
    return GARNER_OK;
  }

  garner_status plan_forced_copy() {
    if (const char* const refusal = copy_refusal(problem_)) return refuse("copy", refusal);
    GARNER_RETURN_IF_FAILED(take_copy("the path is forced"));
    refuse_others("the path copy is forced");
    return GARNER_OK;
  }

  garner_status plan_best() {
    if (const char* const why = needs_scalar(problem_)) {
      take_scalar(why);
      refuse_others(why);
      return GARNER_OK;
    }
    const char* jit_refusal = "slices are not 1, 2, 4, 8 or 16 dense bytes";
    if (jit::suits_jit(problem_)) GARNER_RETURN_IF_FAILED(try_jit(jit_refusal));
    if (jit_refusal == nullptr) {
      decision_.refusals[static_cast<int>(Path::copy)] = "an emitted kernel is faster for slices as wide as an element";
      decision_.refusals[static_cast<int>(Path::scalar)] = "an emitted kernel takes the problem";
      return GARNER_OK;
    }
    const char* const refusal = copy_refusal(problem_);
    if (refusal == nullptr) {
      GARNER_RETURN_IF_FAILED(
          take_copy(problem_.run_count > 1 ? "slices are nests of dense runs" : "slices are dense runs"));
      decision_.refusals[static_cast<int>(Path::scalar)] = "the copy path takes the problem";
    } else {
      take_scalar(refusal);
      decision_.refusals[static_cast<int>(Path::copy)] = refusal;
    }
    decision_.refusals[static_cast<int>(Path::jit)] = jit_refusal;
    return GARNER_OK;
  }

  // Takes the jit path and sets refusal to NULL, or says why not.
  garner_status try_jit(const char*& refusal) {
    refusal = needs_scalar(problem_);
    if (refusal == nullptr) refusal = jit_barrier(context_);
    if (refusal != nullptr) return GARNER_OK;
    return emit(jit::select_kernel(problem_, context_.preferences), Path::jit, refusal);
  }

  // Takes a path with an emitted kernel and sets refusal to NULL, or says why not.
  garner_status emit(const jit::Selection& selection, Path path, const char*& refusal) {
    if (!selection.taken) {
      refusal = selection.reason;
      return GARNER_OK;
    }
    jit::Kernel* kernel = nullptr;
    switch (context_.cache.get(selection.key, &kernel)) {
      case jit::EmitStatus::ok: break;
      case jit::EmitStatus::out_of_memory:
        return report_.fail(GARNER_OUT_OF_MEMORY, GARNER_ARGUMENT_NONE, "no memory for an emitted kernel");
      case jit::EmitStatus::refused:
        note_refused_memory();
        refusal = memory_refused;
        return GARNER_OK;
      case jit::EmitStatus::internal:
        refusal = "the kernel could not be emitted, which is a fault of this library";
        context_.log.write("garner: a kernel could not be emitted; please report this with the plan's description");
        return GARNER_OK;
    }
    refusal = nullptr;
    decision_.path = path;
    decision_.isa = selection.key.isa;
    decision_.reason = selection.reason;
    decision_.refusals[static_cast<int>(path)] = nullptr;
    decision_.key = selection.key;
    decision_.kernel = kernel;
    execution_.kernel = jit::entry(kernel);
    return GARNER_OK;
  }

  garner_status take_copy(const char* reason) {
    const auto enabled = [this](uint32_t bit) { return (context_.settings.disable & bit) == 0; };
    const MoverChoice choice = choose_mover(
        problem_, {context_.isa, operation_.data_footprint.bytes(), operation_.output.bytes(), context_.cpu.l2_bytes,
                   context_.llc_bytes, enabled(GARNER_DISABLE_NT), enabled(GARNER_DISABLE_PREFETCH)});
    // A mover that neither streams nor prefetches is beaten by a kernel that checks and copies at once.
    if (choice.prefetch == 0 && !is_streaming(choice.mover) && jit_barrier(context_) == nullptr) {
      const char* refusal = nullptr;
      GARNER_RETURN_IF_FAILED(emit(jit::select_slices(problem_, context_.preferences), Path::copy, refusal));
      if (refusal == nullptr) {
        decision_.reason = reason;
        return GARNER_OK;
      }
    }
    decision_.path = Path::copy;
    decision_.isa = context_.isa;
    decision_.reason = reason;
    decision_.refusals[static_cast<int>(Path::copy)] = nullptr;
    decision_.mover_name = choice.name;
    execution_.kernel = copy_kernel;
    execution_.args.mover = choice.mover;
    execution_.args.prefetch = choice.prefetch;
    execution_.args.detect_runs = enabled(GARNER_DISABLE_RUNS);
    return GARNER_OK;
  }

  void take_scalar(const char* reason) {
    decision_.path = Path::scalar;
    decision_.isa = Isa::scalar;
    decision_.reason = reason;
    decision_.refusals[static_cast<int>(Path::scalar)] = nullptr;
    execution_.kernel = scalar_kernel;
  }

  void refuse_others(const char* reason) {
    for (int path = 0; path < path_count; ++path) {
      decision_.refusals[path] = path == static_cast<int>(decision_.path) ? nullptr : reason;
    }
  }

  garner_status refuse(const char* path, const char* reason) const {
    return report_.fail(GARNER_UNSUPPORTED, GARNER_ARGUMENT_NONE, "the path ", path,
                        " is forced and cannot take the problem: ", reason);
  }

  // Said once per context; later plans do not even try.
  void note_refused_memory() {
    if (!context_.executable_memory_refused.exchange(true, std::memory_order_relaxed)) {
      context_.log.write("garner: the system refuses executable memory; emitted kernels are not used");
    }
  }

  // A slice from data beyond L2 costs whole cache lines, one from cached data its bytes. Where that is copied line by line only
  // what is written counts: it goes twice as fast, and what one thread has in its cache the others must fetch.
  int64_t tuple_cost_bytes() const {
    int64_t read_bytes = problem_.run_bytes;
    if (operation_.data_footprint.bytes() <= context_.cpu.l2_bytes) {
      if (read_bytes >= cache_line_bytes) read_bytes = 0;
    } else if (read_bytes <= INT64_MAX - cache_line_bytes) {
      read_bytes = (read_bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    }
    int64_t cost = 0;
    const int64_t indices = int64_t{problem_.coord_count} * index_bytes(problem_.index_type);
    if (__builtin_add_overflow(read_bytes, problem_.run_bytes, &cost) ||
        __builtin_mul_overflow(cost, problem_.run_count, &cost) || __builtin_add_overflow(cost, indices, &cost)) {
      return INT64_MAX;
    }
    return cost;
  }

  garner_context& context_;
  const Operation& operation_;
  const GatherProblem& problem_;
  Decision& decision_;
  ExecutionPlan& execution_;
  const ErrorReport& report_;
};

}  // namespace

const char* path_name(Path path) {
  switch (path) {
    case Path::jit: return "jit";
    case Path::copy: return "copy";
    case Path::scalar: return "scalar";
  }
  return "";
}

garner_status choose_path(garner_context& context, const Operation& operation, Decision& decision,
                          ExecutionPlan& execution, const ErrorReport& report) {
  return Planner(context, operation, decision, execution, report).plan();
}

}  // namespace garner
