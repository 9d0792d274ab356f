// SPDX-License-Identifier: Apache-2.0
#include "perf/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "runtime/cpu.h"
#include "runtime/executor.h"

namespace garner::perf {
namespace {

constexpr int min_rounds = 7;
constexpr double sample_ns = 50e3;  // shorter calls are batched until a sample lasts this long
constexpr double weak_probe = 1.03;

using Call = std::function<void(const BufferSet&)>;

// Something that takes its turn in every round.
struct Contestant {
  Call call;
  int64_t batch = 0;  // calls per sample; 0: not known yet
  int64_t calls = 0;
  std::vector<double> samples;
  std::vector<double> round_medians;
};

double sample(Contestant& contestant, Workload& workload) {
  const int64_t start = now_ns();
  for (int64_t i = 0; i < contestant.batch; ++i) contestant.call(workload.next());
  const double elapsed = static_cast<double>(now_ns() - start) - timer_cost_ns();
  return std::max(elapsed, 0.0) / static_cast<double>(contestant.batch);
}

void warm_up(Contestant& contestant, Workload& workload) {
  contestant.call(workload.next());
  int64_t calls = 0;
  const int64_t start = now_ns();
  double elapsed = 0;
  do {
    contestant.call(workload.next());
    ++calls;
    elapsed = static_cast<double>(now_ns() - start);
  } while (elapsed < 2e6 && calls < 100000);
  contestant.batch = std::max<int64_t>(1, static_cast<int64_t>(sample_ns * static_cast<double>(calls) / elapsed));
}

void take_turn(Contestant& contestant, Workload& workload, double budget_ns) {
  if (contestant.batch == 0) warm_up(contestant, workload);
  contestant.call(workload.next());  // the caches as its own calls leave them, not those of the one before
  std::vector<double> samples;
  const int64_t start = now_ns();
  do {
    samples.push_back(sample(contestant, workload));
    contestant.calls += contestant.batch;
  } while (static_cast<double>(now_ns() - start) < budget_ns && !interrupted());
  contestant.samples.insert(contestant.samples.end(), samples.begin(), samples.end());
  contestant.round_medians.push_back(median(std::move(samples)));
}

// The best of several ways to do the same, from a few short interleaved turns.
Call pick_best(const std::vector<Call>& variants, Workload& workload) {
  if (variants.size() == 1) return variants[0];
  std::vector<Contestant> contestants;
  for (const Call& variant : variants) contestants.push_back({variant, 0, 0, {}, {}});
  for (int round = 0; round < 3 && !interrupted(); ++round) {
    for (Contestant& contestant : contestants) take_turn(contestant, workload, 1e6);
  }
  const auto best = std::min_element(
      contestants.begin(), contestants.end(),
      [](const Contestant& a, const Contestant& b) { return median(a.round_medians) < median(b.round_medians); });
  return best->call;
}

// Cuts [0, total) into a part per thread; parts begin at multiples of `unit`.
template <class Body>
void in_parts(ThreadTeam& team, int threads, int64_t total, int64_t unit, const Body& body) {
  if (threads == 1) {
    body(int64_t{0}, total);
    return;
  }
  struct Job {
    const Body& body;
    int64_t total;
    int64_t unit;
    int threads;
    int64_t edge(int32_t i) const { return i == threads ? total : total / threads * i / unit * unit; }
  } job{body, total, unit, threads};
  team.run(
      threads,
      [](void* arg, int32_t i) {
        const Job& part = *static_cast<const Job*>(arg);
        part.body(part.edge(i), part.edge(i + 1));
      },
      &job);
}

ProbeSet probes_for(Isa isa, const DenseGather& gather) {
  return isa == Isa::avx512 ? probes_v4(gather) : isa == Isa::avx2 ? probes_v3(gather) : probes_v1(gather);
}

LoopFunction loop_for(Isa isa, const DenseGather& gather) {
  return isa == Isa::avx512 ? baseline_loop_v4(gather)
         : isa == Isa::avx2 ? baseline_loop_v3(gather)
                            : baseline_loop_v1(gather);
}

class Measuring {
 public:
  Measuring(const NamedProblem& problem, int threads, bool cold, const MeasureOptions& options, DataPool& pool,
            ThreadTeam& team)
      : options_(options),
        threads_(threads),
        team_(team),
        cpu_(detect_cpu()),
        isa_(usable_isa()),
        workload_(problem, cold, options.pages, cpu_.llc_bytes, pool),
        context_(options.choice) {
    result_.name = problem.name;
    result_.problem = problem.text;
    result_.dtype = short_name(problem.problem.data_type);
    result_.index_dtype = short_name(problem.problem.index_type);
    result_.threads = threads;
    result_.cold = cold;
    result_.elements = workload_.output().element_count();
    if (threads > 1 && tbb_executor().parallel_for == nullptr) executor_ = team.executor();
  }

  Measurement run() {
    plan_ = make_plan(context_);
    result_.plan = PlanFacts(plan_, threads_);
    time_planning();
    call_once();
    result_.checksum = crc32(workload_.first().output, workload_.output_bytes());
    if (options_.verify) verify();
    run_rounds();
    return std::move(result_);
  }

 private:
  // What this run may use: the CPU's level, capped by --isa.
  Isa usable_isa() const {
    if (options_.choice.isa == GARNER_ISA_SCALAR) return Isa::scalar;
    if (options_.choice.isa == GARNER_ISA_AVX2) return std::min(cpu_.isa, Isa::avx2);
    return cpu_.isa;
  }

  const Tensor* output_tensor() const { return workload_.tensors().output ? &*workload_.tensors().output : nullptr; }

  Plan make_plan(const Context& context) const {
    Plan plan;
    garner_error error = GARNER_ERROR_INIT;
    const garner_status status = plan.create(context, workload_.op(), workload_.tensors().data,
                                             workload_.tensors().indices, output_tensor(), &error);
    if (status != GARNER_OK) throw InputError(describe_error(status, error));
    return plan;
  }

  garner_args arguments(const BufferSet& set, int threads) const {
    garner_args args = GARNER_ARGS_INIT;
    args.max_threads = threads;
    args.data = set.data;
    args.data_bytes = to_size(workload_.data_bytes());
    args.indices = set.indices;
    args.indices_bytes = to_size(workload_.index_bytes());
    args.output = set.output;
    args.output_bytes = to_size(workload_.output_bytes());
    if (executor_) args.executor = &*executor_;
    return args;
  }

  void time_planning() {
    std::vector<double> cold;
    for (int i = 0; i < 5; ++i) {
      const Context fresh(options_.choice);
      const int64_t start = now_ns();
      const Plan plan = make_plan(fresh);
      cold.push_back(static_cast<double>(now_ns() - start) - timer_cost_ns());
    }
    result_.plan_cold_ns = median(cold);
    // The API's own call alone, with the descriptions ready as an engine would have them.
    const garner_op op = workload_.op();
    const garner_tensor data = workload_.tensors().data.view();
    const garner_tensor indices = workload_.tensors().indices.view();
    const garner_tensor output =
        output_tensor() != nullptr ? output_tensor()->view() : garner_tensor(GARNER_TENSOR_INIT);
    std::vector<double> warm;
    for (int i = 0; i < 15; ++i) {
      std::array<garner_plan*, 64> plans{};
      const int64_t start = now_ns();
      for (garner_plan*& plan : plans) {
        garner_plan_create(context_.handle(), &op, &data, &indices, output_tensor() != nullptr ? &output : nullptr,
                           &plan, nullptr);
      }
      warm.push_back((static_cast<double>(now_ns() - start) - timer_cost_ns()) / static_cast<double>(plans.size()));
      for (garner_plan* plan : plans) garner_plan_destroy(plan);
    }
    result_.plan_warm_ns = median(warm);
  }

  void call_once() {
    const garner_args args = arguments(workload_.first(), threads_);
    garner_error error = GARNER_ERROR_INIT;
    const garner_status status = garner_plan_execute(plan_.handle(), &args, &error);
    if (status != GARNER_OK) {
      throw InputError(describe_error(status, error) +
                       " (a call that fails is not measured; bounds=clamp or bounds=zero has an answer)");
    }
  }

  void verify() {
    Choice scalar;
    scalar.path = GARNER_PATH_SCALAR;
    const Context context(scalar);
    const Plan plan = make_plan(context);
    const Buffer right(workload_.output_bytes(),
                       options_.pages);  // zeroed, as the output was: gaps between strides agree
    garner_args args = arguments(workload_.first(), 1);
    args.output = right.data();
    garner_error error = GARNER_ERROR_INIT;
    const garner_status status = garner_plan_execute(plan.handle(), &args, &error);
    const std::byte* output = workload_.first().output;
    result_.verified =
        status == GARNER_OK &&
        (workload_.output_bytes() == 0 || std::memcmp(output, right.data(), to_size(workload_.output_bytes())) == 0);
  }

  Call garner_call() {
    return [this, args = arguments(workload_.first(), threads_)](const BufferSet& set) mutable {
      args.data = set.data;
      args.indices = set.indices;
      args.output = set.output;
      garner_plan_execute(plan_.handle(), &args, nullptr);
    };
  }

  // All threads, and one: small work is best left on one, for the rivals as well.
  std::vector<int> thread_variants() const {
    return threads_ == 1 ? std::vector<int>{1} : std::vector<int>{threads_, 1};
  }

  std::vector<Call> loop_calls() {
    if (!workload_.dense()) {
      result_.notes.push_back("no loop: a tensor is not dense");
      return {};
    }
    const DenseGather& gather = *workload_.dense();
    const LoopFunction loop = loop_for(isa_, gather);
    if (loop == nullptr) {
      result_.notes.push_back("no loop: not written for this index type and policy, or this element size");
      return {};
    }
    std::vector<Call> calls;
    for (const int threads : thread_variants()) {
      calls.push_back([this, &gather, loop, threads](const BufferSet& set) {
        const std::byte* data = set.data + workload_.tensors().data.byte_offset;
        const std::byte* indices = set.indices + workload_.tensors().indices.byte_offset;
        std::byte* output = set.output + workload_.output().byte_offset;
        in_parts(team_, threads, gather.positions, 1,
                 [&](int64_t begin, int64_t end) { loop(gather, data, indices, output, begin, end); });
      });
    }
    return calls;
  }

  // The loop is a fair rival only when it computes the same.
  void check_loop(const Call& loop) {
    const BufferSet& set = workload_.first();
    std::memset(set.output, 0, to_size(workload_.output_bytes()));
    loop(set);
    if (crc32(set.output, workload_.output_bytes()) != result_.checksum)
      result_.notes.push_back("the loop's output differs");
  }

  void add_copy(const ProbeSet& probes, int threads, std::vector<Call>& calls) {
    for (const CopyFunction copy : probes.copy) {
      if (copy == nullptr) break;
      calls.push_back([this, copy, threads](const BufferSet& set) {
        in_parts(team_, threads, workload_.output_bytes(), 64, [&](int64_t begin, int64_t end) {
          copy(set.output + begin, workload_.copy_source() + begin, end - begin);
        });
      });
    }
  }

  void add_stream(const ProbeSet& probes, int threads, std::vector<Call>& calls) {
    for (const StreamFunction stream : probes.stream) {
      if (stream == nullptr) break;
      calls.push_back([this, stream, threads](const BufferSet& set) {
        const int64_t output_bytes = workload_.output_bytes();
        const int64_t index_bytes = workload_.index_bytes();
        const auto edge = [threads](int64_t total, int64_t i) {
          return i == threads ? total : total / threads * i / 64 * 64;
        };
        in_parts(team_, threads, threads, 1, [&](int64_t begin, int64_t end) {
          const int64_t out = edge(output_bytes, begin);
          const int64_t in = edge(index_bytes, begin);
          stream(set.output + out, edge(output_bytes, end) - out, set.indices + in, edge(index_bytes, end) - in);
        });
      });
    }
  }

  void add_touch(const ProbeSet& probes, int threads, const DenseGather& gather, std::vector<Call>& calls) {
    for (const TouchFunction touch : probes.touch) {
      if (touch == nullptr) break;
      calls.push_back([this, touch, threads, &gather](const BufferSet& set) {
        const std::byte* data = set.data + workload_.tensors().data.byte_offset;
        const std::byte* indices = set.legal + workload_.tensors().indices.byte_offset;
        in_parts(team_, threads, gather.positions, 1, [&](int64_t begin, int64_t end) {
          const uint64_t sum = touch(gather, data, indices, begin, end);
          asm volatile("" : : "r"(sum));  // the loads must happen
        });
      });
    }
  }

  void run_rounds() {
    Contestant garner{garner_call(), 0, 0, {}, {}};
    std::optional<Contestant> loop;
    if (options_.baseline) {
      const std::vector<Call> loops = loop_calls();
      if (!loops.empty()) {
        check_loop(loops[0]);
        loop = Contestant{pick_best(loops, workload_), 0, 0, {}, {}};
      }
    }
    std::optional<Contestant> copy, stream, touch;
    if (workload_.dense() && workload_.data_bytes() > 0) {
      const DenseGather& gather = *workload_.dense();
      const ProbeSet probes = probes_for(isa_, gather);
      std::vector<Call> copies, streams, touches;  // no touches for elements of odd sizes
      for (const int threads : thread_variants()) {
        add_copy(probes, threads, copies);
        add_stream(probes, threads, streams);
        add_touch(probes, threads, gather, touches);
      }
      copy = Contestant{pick_best(copies, workload_), 0, 0, {}, {}};
      stream = Contestant{pick_best(streams, workload_), 0, 0, {}, {}};
      if (!touches.empty() && !workload_.table_fits_registers()) {
        touch = Contestant{pick_best(touches, workload_), 0, 0, {}, {}};
      }
    } else {
      result_.notes.push_back("no ceiling: a tensor is not dense or empty");
    }
    std::vector<Contestant*> turns{&garner};
    for (std::optional<Contestant>* other : {&loop, &copy, &stream, &touch}) {
      if (*other) turns.push_back(&**other);
    }
    const double total_ns = options_.seconds * 1e9;
    // Short rounds, so that a slow phase of the machine meets every contestant.
    const int rounds = std::clamp(static_cast<int>(total_ns / 25e6), min_rounds, 41);
    const double budget_ns = total_ns / rounds / static_cast<double>(turns.size());
    const int64_t start = now_ns();
    int round = 0;
    for (; round < rounds && !interrupted(); ++round) {
      if (round >= min_rounds && static_cast<double>(now_ns() - start) > 1.5 * total_ns) break;
      for (Contestant* contestant : turns) take_turn(*contestant, workload_, budget_ns);
    }
    if (interrupted() && round < rounds)
      result_.notes.push_back(fmt::format("cut short by an interrupt: {} of {} rounds", round, rounds));
    summarize_rounds(garner, loop, copy, stream, touch);
  }

  void summarize_rounds(Contestant& garner, const std::optional<Contestant>& loop,
                        const std::optional<Contestant>& copy, const std::optional<Contestant>& stream,
                        const std::optional<Contestant>& touch) {
    result_.calls = garner.calls;
    result_.ns = summarize(garner.samples);
    if (loop) {
      result_.baseline_p50 = median(loop->samples);
      std::vector<double> ratios;
      for (size_t i = 0; i < std::min(loop->round_medians.size(), garner.round_medians.size()); ++i) {
        ratios.push_back(loop->round_medians[i] / garner.round_medians[i]);
      }
      result_.vs_baseline = median_interval(std::move(ratios));
    }
    if (copy && stream) {
      Ceiling ceiling;
      ceiling.copy_ns = median(copy->samples);
      ceiling.stream_ns = median(stream->samples);
      if (touch) ceiling.touch_ns = median(touch->samples);
      ceiling.ns = std::max({ceiling.copy_ns, ceiling.stream_ns, ceiling.touch_ns.value_or(0)});
      result_.ceiling = ceiling;
      if (result_.of_ceiling() > weak_probe)
        result_.notes.push_back(fmt::format("probe too weak: {:.2f} of the ceiling", result_.of_ceiling()));
    }
    result_.samples = std::move(garner.samples);
  }

  const MeasureOptions& options_;
  int threads_;
  ThreadTeam& team_;
  CpuFacts cpu_;
  Isa isa_;
  Workload workload_;
  Context context_;
  Plan plan_;
  std::optional<garner_executor> executor_;
  Measurement result_;
};

}  // namespace

uint32_t crc32(const std::byte* bytes, int64_t count) {
  static const auto tables = [] {
    std::array<std::array<uint32_t, 256>, 8> t{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; ++i) {
      for (size_t j = 1; j < 8; ++j) t[j][i] = t[0][t[j - 1][i] & 255] ^ (t[j - 1][i] >> 8);
    }
    return t;
  }();
  uint32_t crc = ~0u;
  for (; count >= 8; count -= 8, bytes += 8) {  // eight bytes a step: outputs of 100 MB are checked, too
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    word ^= crc;
    crc = 0;
    for (size_t j = 0; j < 8; ++j) crc ^= tables[7 - j][(word >> (8 * j)) & 255];
  }
  for (; count > 0; --count, ++bytes) crc = tables[0][(crc ^ static_cast<uint32_t>(*bytes)) & 255] ^ (crc >> 8);
  return ~crc;
}

Measurement measure(const NamedProblem& problem, int threads, bool cold, const MeasureOptions& options, DataPool& pool,
                    ThreadTeam& team) {
  return Measuring(problem, threads, cold, options, pool, team).run();
}

}  // namespace garner::perf
