// SPDX-License-Identifier: Apache-2.0
#include "perf/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "perf/checksum.h"
#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/reference.h"
#include "perf/rivals.h"
#include "perf/rounds.h"
#include "perf/timing.h"
#include "perf/verification.h"
#include "runtime/cpu.h"
#include "runtime/executor.h"

namespace garner::perf {
namespace {

constexpr double weak_probe = 1.03;

// Field `index` of the plan's own problem string, whose fields are separated by colons.
std::string problem_field(const PlanFacts& plan, int index) {
  const std::string problem = plan.get("problem");
  size_t begin = 0;
  for (int i = 0; i < index && begin != std::string::npos; ++i) {
    const size_t colon = problem.find(':', begin);
    begin = colon == std::string::npos ? colon : colon + 1;
  }
  return begin == std::string::npos ? "" : problem.substr(begin, problem.find(':', begin) - begin);
}

class Measuring {
 public:
  Measuring(const NamedProblem& problem, int threads, bool cold, const MeasureOptions& options, DataPool& pool,
            ThreadTeam& team)
      : options_(options),
        threads_(threads),
        cpu_(detect_cpu()),
        workload_(problem, cold, options.pages, cpu_.llc_bytes, pool),
        rivals_(workload_, team, threads, usable_isa()),
        // Without oneTBB in the library the team stands in: known to the context, so that plans describe what runs.
        executor_(threads > 1 && tbb_executor().parallel_for == nullptr ? std::optional(team.executor())
                                                                        : std::nullopt),
        context_(options.choice, executor_ ? &*executor_ : nullptr) {
    result_.name = problem.name;
    result_.problem = problem.text;
    result_.threads = threads;
    result_.cold = cold;
    result_.pages = options.pages;
    result_.buffer_sets = static_cast<int>(workload_.set_count());
    result_.elements = workload_.output().element_count();
  }

  Measurement run() {
    plan_ = plan_of(context_, workload_);
    result_.plan = PlanFacts(plan_, threads_);
    time_planning();
    call_once();
    stop_if_interrupted();
    result_.checksum = crc32(workload_.first().output, workload_.output_bytes());
    if (options_.verify) verify();
    stop_if_interrupted();
    measure_rounds();
    return std::move(result_);
  }

 private:
  // What this run may use: the CPU's level, capped by --isa.
  Isa usable_isa() const {
    if (options_.choice.isa == GARNER_ISA_SCALAR) return Isa::scalar;
    if (options_.choice.isa == GARNER_ISA_AVX2) return std::min(cpu_.isa, Isa::avx2);
    return cpu_.isa;
  }

  garner_args arguments(int threads) const { return workload_.arguments(workload_.first(), threads); }

  void time_planning() {
    std::vector<double> cold;
    for (int i = 0; i < 5; ++i) {
      const Context fresh(options_.choice);
      const int64_t start = now_ns();
      const Plan plan = plan_of(fresh, workload_);
      cold.push_back(static_cast<double>(now_ns() - start) - timer_cost_ns());
    }
    result_.plan_cold_ns = median(cold);
    // The API's own call alone, with the descriptions ready as an engine would have them.
    const garner_op op = workload_.op();
    const garner_tensor data = workload_.tensors().data.view();
    const garner_tensor indices = workload_.tensors().indices.view();
    const garner_tensor output =
        workload_.tensors().output ? workload_.tensors().output->view() : garner_tensor(GARNER_TENSOR_INIT);
    std::vector<double> warm;
    for (int i = 0; i < 15; ++i) {
      std::array<garner_plan*, 64> plans{};
      const int64_t start = now_ns();
      for (garner_plan*& plan : plans) {
        garner_plan_create(context_.handle(), &op, &data, &indices, workload_.tensors().output ? &output : nullptr,
                           &plan, nullptr);
      }
      warm.push_back((static_cast<double>(now_ns() - start) - timer_cost_ns()) / static_cast<double>(plans.size()));
      for (garner_plan* plan : plans) garner_plan_destroy(plan);
    }
    result_.plan_warm_ns = median(warm);
  }

  void call_once() {
    const garner_args args = arguments(threads_);
    garner_error error = GARNER_ERROR_INIT;
    const garner_status status = plan_.execute(args, &error);
    if (status != GARNER_OK) {
      throw InputError(describe_error(status, error) +
                       " (a call that fails is not measured; bounds=clamp or bounds=zero has an answer)");
    }
  }

  void verify() {
    try {
      // Zeroed, as the output was: gaps between strides agree.
      const Buffer right = reference_output(workload_, options_.pages);
      result_.difference = first_difference(workload_.output(), workload_.first().output, right.data());
    } catch (const InputError& error) {
      result_.difference = std::string("the scalar path says ") + error.what();
    }
    result_.verified = result_.difference.empty();
  }

  Call garner_call() {
    return [this, args = arguments(threads_)](const BufferSet& set) mutable {
      args.data = set.data;
      args.indices = set.indices;
      args.output = set.output;
      garner_plan_execute(plan_.handle(), &args, nullptr);
    };
  }

  // The loop is a fair rival only when it computes the same.
  void check_loop(const Call& loop) {
    const BufferSet& set = workload_.first();
    std::memset(set.output, 0, to_size(workload_.output_bytes()));
    loop(set);
    if (crc32(set.output, workload_.output_bytes()) != result_.checksum)
      result_.notes.push_back("the loop's output differs");
  }

  std::unique_ptr<Contestant> best_of(const std::vector<Call>& variants) {
    if (variants.empty()) return nullptr;
    return std::make_unique<Contestant>(pick_best(variants, workload_));
  }

  void measure_rounds() {
    Contestant garner(garner_call());
    std::unique_ptr<Contestant> loop;
    if (options_.baseline) {
      std::string why_not;
      const std::vector<Call> loops = rivals_.loop_calls(why_not);
      if (loops.empty()) {
        result_.notes.push_back("no loop: " + why_not);
      } else {
        check_loop(loops[0]);
        loop = best_of(loops);
      }
    }
    const std::unique_ptr<Contestant> copy = best_of(rivals_.copy_calls());
    const std::unique_ptr<Contestant> stream = best_of(rivals_.stream_calls());
    const std::unique_ptr<Contestant> touch = best_of(rivals_.touch_calls());
    std::vector<Contestant*> turns{&garner};
    for (Contestant* other : {loop.get(), copy.get(), stream.get(), touch.get()}) {
      if (other != nullptr) turns.push_back(other);
    }
    const Rounds rounds = run_rounds(turns, turns, workload_, options_.seconds);
    result_.rounds = rounds.done;
    result_.steady = rounds.steady;
    if (garner.samples().empty()) throw Interrupted();
    if (interrupted() && !rounds.steady)
      result_.notes.push_back(fmt::format("cut short by an interrupt after {} rounds", rounds.done));
    if (rounds.out_of_time)
      result_.notes.push_back(fmt::format("only {} round{} in the time: more --seconds would be surer", rounds.done,
                                          rounds.done == 1 ? "" : "s"));
    result_.calls = garner.calls();
    result_.batch = garner.batch();
    result_.ns = summarize(garner.samples(), garner.batch() == 1);
    result_.round_ns = median_interval(garner.round_medians());
    if (loop && !loop->samples().empty()) {
      result_.baseline_p50 = loop->p50();
      result_.vs_baseline = median_interval(round_ratios(*loop, garner));
    }
    summarize_ceiling(garner, copy.get(), stream.get(), touch.get());
    result_.samples = garner.samples();
  }

  void summarize_ceiling(const Contestant& garner, const Contestant* copy, const Contestant* stream,
                         const Contestant* touch) {
    if (copy == nullptr || stream == nullptr) {
      result_.notes.push_back("no ceiling: nothing is moved");
      return;
    }
    for (const Contestant* probe : {copy, stream, touch}) {
      if (probe != nullptr && probe->samples().empty()) return;  // interrupted before its turn
    }
    Ceiling ceiling;
    ceiling.copy_ns = copy->p50();
    ceiling.stream_ns = stream->p50();
    if (touch != nullptr) ceiling.touch_ns = touch->p50();
    ceiling.ns = std::max({ceiling.copy_ns, ceiling.stream_ns, ceiling.touch_ns.value_or(0)});
    result_.ceiling = ceiling;
    const Contestant* slowest = ceiling.ns == ceiling.copy_ns ? copy : ceiling.ns == ceiling.stream_ns ? stream : touch;
    result_.of_ceiling_rounds = round_ratios(*slowest, garner);
    if (result_.of_ceiling() > weak_probe)
      result_.notes.push_back(fmt::format("probe too weak: {:.2f} of the ceiling", result_.of_ceiling()));
  }

  const MeasureOptions& options_;
  int threads_;
  CpuFacts cpu_;
  Workload workload_;
  Rivals rivals_;
  std::optional<garner_executor> executor_;
  Context context_;
  Plan plan_;
  Measurement result_;
};

}  // namespace

std::string Measurement::dtype() const { return problem_field(plan, 1); }
std::string Measurement::index_dtype() const { return problem_field(plan, 3); }

Measurement measure(const NamedProblem& problem, int threads, bool cold, const MeasureOptions& options, DataPool& pool,
                    ThreadTeam& team) {
  return Measuring(problem, threads, cold, options, pool, team).run();
}

}  // namespace garner::perf
