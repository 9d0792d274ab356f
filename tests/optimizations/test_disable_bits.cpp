// SPDX-License-Identifier: Apache-2.0
// Every optimization that has a GARNER_DISABLE bit: it runs where it is on, it does not where it is off, and the output, the
// status and every field of the error are the same, with each bit alone and with all of them.
#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>

#include "jit/calibration.h"
#include "runtime/mover.h"
#include "src/context.h"
#include "src/plan.h"
#include "tests/support/catch.h"
#include "tests/support/reference.h"
#include "tests/support/threads.h"

using namespace garner_test;

namespace {

constexpr uint32_t all_bits = GARNER_DISABLE_TABLE | GARNER_DISABLE_HARDWARE | GARNER_DISABLE_ROWS |
                              GARNER_DISABLE_RUNS | GARNER_DISABLE_PREFETCH | GARNER_DISABLE_NT |
                              GARNER_DISABLE_FOLDING | GARNER_DISABLE_THREADS | GARNER_DISABLE_SLICES;

ThreadExecutor& threads() {
  static ThreadExecutor executor(3);
  return executor;
}

bool is_jit(const garner_plan& plan) { return plan.decision.path == garner::Path::jit; }

// Counts the runs that a mover is asked to copy; joined ones do not come here.
std::atomic<int64_t> runs_moved{0};
garner::Mover real_mover = nullptr;
void counting_mover(const garner::MoverArgs& args) {
  runs_moved.fetch_add(args.count);
  real_mover(args);
}

struct Optimization {
  const char* name;
  uint32_t bit;
  bool emitted;  // needs emitted kernels
  Problem problem;
  std::function<void(garner_context_options&)> prepare;
  // Whether it runs in this plan, which `execute` executes.
  std::function<bool(garner_plan& plan, const std::function<void()>& execute)> runs;
  std::function<bool(const garner_plan& plan)> can_run = [](const garner_plan&) { return true; };
};

std::vector<int64_t> pattern(int64_t count, int64_t extent) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i * 7919) % extent - (i % 5 == 0 ? extent : 0);
  return values;
}

std::vector<int64_t> rows_of_one_index(int64_t rows, int64_t columns, int64_t extent) {
  std::vector<int64_t> values;
  for (int64_t row = 0; row < rows; ++row) values.insert(values.end(), static_cast<size_t>(columns), row * 3 % extent);
  return values;
}

std::vector<int64_t> counting_up(int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  return values;
}

std::vector<Optimization> optimizations() {
  const auto nothing = [](garner_context_options&) {};
  const auto without_calibration = [](garner_context_options& options) {
    options.calibration = GARNER_CALIBRATION_OFF;
  };
  using Execute = std::function<void()>;
  std::vector<Optimization> list;
  list.push_back({"table",
                  GARNER_DISABLE_TABLE,
                  true,
                  {gather_nd(), arange<float>({8}), indices({1000, 1}, pattern(1000, 8))},
                  without_calibration,
                  [](garner_plan& plan, const Execute&) {
                    return is_jit(plan) && plan.decision.key.body == garner::jit::Body::table;
                  }});
  list.push_back(
      {"hardware",
       GARNER_DISABLE_HARDWARE,
       true,
       {gather_nd(), arange<float>({900}), indices({1000, 1}, pattern(1000, 900))},
       nothing,
       [](garner_plan& plan, const Execute&) {
         return is_jit(plan) && plan.decision.key.body == garner::jit::Body::hardware;
       },
       // Which body is faster is measured: this CPU may prefer loads.
       [](const garner_plan& plan) { return is_jit(plan) && garner::jit::hardware_is_faster(4, plan.decision.isa); }});
  list.push_back(
      {"rows",
       GARNER_DISABLE_ROWS,
       true,
       {gather_elements(0), arange<float>({40, 100}), indices({30, 100}, rows_of_one_index(30, 100, 40))},
       without_calibration,
       [](garner_plan& plan, const Execute&) { return is_jit(plan) && plan.decision.key.detect_rows != 0; }});
  list.push_back({"runs",
                  GARNER_DISABLE_RUNS,
                  false,
                  {gather_nd(), arange<float>({300, 75}), indices({256, 1}, counting_up(256))},
                  nothing,
                  [](garner_plan& plan, const Execute& execute) {
                    runs_moved = 0;
                    real_mover = plan.execution.args.mover;
                    plan.execution.args.mover = counting_mover;
                    execute();
                    plan.execution.args.mover = real_mover;
                    return runs_moved == 0;
                  }});
  list.push_back({"prefetch",
                  GARNER_DISABLE_PREFETCH,
                  false,
                  {gather_nd(), patterned(GARNER_UINT8, 0, {130000, 96}), indices({400, 1}, pattern(400, 130000))},
                  nothing,
                  [](garner_plan& plan, const Execute&) { return plan.execution.args.prefetch > 0; },
                  [](const garner_plan& plan) { return plan.context->cpu.l2_bytes < 130000 * 96; }});
  list.push_back({"non-temporal stores",
                  GARNER_DISABLE_NT,
                  false,
                  {gather_nd(), patterned(GARNER_UINT8, 0, {50, 256}), indices({400, 1}, pattern(400, 50))},
                  [](garner_context_options& options) { options.llc_bytes = 4096; },
                  [](garner_plan& plan, const Execute&) { return garner::is_streaming(plan.execution.args.mover); },
                  [](const garner_plan& plan) { return plan.context->isa != garner::Isa::scalar; }});
  list.push_back({"folding",
                  GARNER_DISABLE_FOLDING,
                  true,
                  {gather_elements(1), arange<double>({90, 7}), indices({90, 3}, pattern(270, 7))},
                  without_calibration,
                  [](garner_plan& plan, const Execute&) {
                    return is_jit(plan) && plan.decision.key.lanes == garner::jit::Lanes::folded;
                  }});
  list.push_back(
      {"slices",
       GARNER_DISABLE_SLICES,
       false,
       {gather_nd(), arange<float>({300, 5}), indices({400, 1}, pattern(400, 300))},
       nothing,
       [](garner_plan& plan, const Execute&) {
         return plan.decision.kernel != nullptr && plan.decision.key.body == garner::jit::Body::slices;
       },
       [](const garner_plan& plan) { return GARNER_HAVE_JIT != 0 && plan.context->isa != garner::Isa::scalar; }});
  list.push_back({"threads",
                  GARNER_DISABLE_THREADS,
                  false,
                  {gather_nd(), arange<float>({60, 30}), indices({600, 1}, pattern(600, 60))},
                  nothing,
                  [](garner_plan&, const Execute& execute) {
                    const int64_t before = threads().calls();
                    execute();
                    return threads().calls() > before;
                  }});
  return list;
}

bool same_detail(const garner_error& a, const garner_error& b) {
  return a.status == b.status && a.argument == b.argument && a.coordinate == b.coordinate && a.axis == b.axis &&
         a.index_dtype == b.index_dtype && a.position == b.position && a.value == b.value && a.extent == b.extent &&
         std::string(a.text) == b.text;
}

// The same problem with its policies, and with an index that is bad.
std::vector<Problem> variations(const Problem& problem) {
  std::vector<Problem> list = {problem};
  for (const int32_t bounds : {GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO}) {
    Problem changed = problem;
    changed.op = with_policy(problem.op, bounds);
    std::vector<int64_t> values = values_of<int64_t>(problem.indices.bytes);
    values[values.size() * 2 / 3] = int64_t{1} << 40;
    values[values.size() * 3 / 4] = INT64_MIN;
    changed.indices.bytes = bytes_of(values);
    list.push_back(changed);
  }
  return list;
}

struct Result {
  garner_error error = GARNER_ERROR_INIT;
  Bytes output;
  bool ran = false;      // the optimization
  bool can_run = false;  // here, were it on
};

Result run_with(const Optimization& optimization, const Problem& problem, uint32_t disable, size_t output_bytes) {
  const garner_executor executor = threads().descriptor();
  garner_context_options options = context_options();
  options.executor = &executor;
  options.min_shard_bytes = 0;
  options.disable = disable;
  optimization.prepare(options);
  const ContextHandle context = make_context(options);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  garner_plan* created = nullptr;
  REQUIRE(garner_plan_create(context.get(), &problem.op, &data, &index, nullptr, &created, nullptr) == GARNER_OK);
  const PlanHandle plan(created);
  Result result;
  result.output.resize(output_bytes, 0xA5);
  const garner_args args = arguments(problem, result.output);
  const auto execute = [&] { garner_plan_execute(created, &args, &result.error); };
  result.ran = optimization.runs(*created, execute);
  execute();
  result.can_run = optimization.can_run(*created) && (!optimization.emitted || is_jit(*created));
  return result;
}

}  // namespace

TEST_CASE("each optimization runs where it is on and changes nothing but time") {
  int64_t compared = 0;
  for (const Optimization& optimization : optimizations()) {
    INFO("optimization: " << optimization.name);
    for (const Problem& problem : variations(optimization.problem)) {
      const Expected expected = reference(problem);
      const size_t bytes =
          problem.op.kind == GARNER_GATHER_ELEMENTS_ONNX
              ? static_cast<size_t>(element_count(problem.indices.shape) * problem.data.width())
              : static_cast<size_t>(element_count(problem.indices.shape) / problem.indices.shape.back() *
                                    (element_count(problem.data.shape) / problem.data.shape[0]) * problem.data.width());
      const Result plain = run_with(optimization, problem, all_bits, bytes);
      CHECK(plain.error.status == expected.status);
      if (expected.status == GARNER_OK) CHECK((plain.output == expected.output));
      for (uint32_t bit = 0; bit <= 9; ++bit) {
        const uint32_t disable = bit == 9 ? 0 : 1u << bit;
        const Result result = run_with(optimization, problem, disable, bytes);
        INFO("GARNER_DISABLE bits " << disable);
        CHECK(same_detail(result.error, plain.error));
        if (expected.status == GARNER_OK) CHECK((result.output == plain.output));
        ++compared;
        // Under zero a streamed store could meet an ordinary one, and a bad index ends what was to be joined.
        if (problem.op.bounds != GARNER_BOUNDS_ERROR || expected.status != GARNER_OK) continue;
        CHECK_FALSE(plain.ran);
        if (disable == optimization.bit) {
          CHECK_FALSE(result.ran);
        } else if (result.can_run) {
          CHECK(result.ran);
        } else if (disable == 0) {
          WARN("cannot be seen running on this machine: " << optimization.name);
        }
      }
    }
  }
  std::cout << compared << " comparisons" << std::endl;
}
