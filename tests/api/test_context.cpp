// SPDX-License-Identifier: Apache-2.0
// Contexts: life cycle, options, preparing, trimming, log.
#include <mutex>
#include <string>
#include <vector>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"
#include "tests/support/threads.h"

using namespace garner_test;

namespace {

struct Log {
  std::mutex mutex;
  std::vector<std::string> lines;
  static void write(void* ctx, const char* text) {
    auto* self = static_cast<Log*>(ctx);
    const std::lock_guard<std::mutex> lock(self->mutex);
    self->lines.emplace_back(text);
  }
  bool contains(const std::string& word) const {
    for (const std::string& line : lines) {
      if (line.find(word) != std::string::npos) return true;
    }
    return false;
  }
};

}  // namespace

TEST_CASE("destroying nothing is allowed") {
  garner_context_destroy(nullptr);
  garner_plan_destroy(nullptr);
}

TEST_CASE("a context may be destroyed before its plans") {
  SimpleProblem p;
  ContextHandle context = make_context(context_options());
  const PlanHandle plan = p.plan(context.get());
  const PlanHandle second = p.plan(context.get());
  REQUIRE(plan);
  context.reset();
  CHECK(garner_plan_execute(plan.get(), &p.args, &p.error) == GARNER_OK);
  CHECK(p.right());
  CHECK(describe(plan.get(), 1).count("path") == 1);
}

TEST_CASE("without a context a process-wide default serves") {
  SimpleProblem p;
  CHECK(p.execute(nullptr) == GARNER_OK);
  CHECK(p.right());
  CHECK(garner_context_trim(nullptr, 0) == GARNER_OK);
  CHECK(garner_context_prepare(nullptr, &p.op, GARNER_FLOAT32, 0, GARNER_INT64, 2, &p.error) == GARNER_OK);
  CHECK(p.execute(nullptr) == GARNER_OK);
}

TEST_CASE("options that cannot be") {
  const auto status = [](auto spoil) {
    garner_context_options options = context_options();
    spoil(options);
    garner_context* context = reinterpret_cast<garner_context*>(&options);
    garner_error error = no_error();
    const garner_status result = garner_context_create(&options, &context, &error);
    if (result != GARNER_OK) {
      CHECK(context == nullptr);
      CHECK(error.argument == GARNER_ARGUMENT_CONTEXT);
      CHECK(error.text[0] != '\0');
    }
    if (result == GARNER_OK) garner_context_destroy(context);
    return result;
  };
  using Options = garner_context_options;
  for (int32_t bad : {-1, 99}) {
    CHECK(status([bad](Options& o) { o.jit = bad; }) == GARNER_INVALID_ARGUMENT);
    CHECK(status([bad](Options& o) { o.max_isa = bad; }) == GARNER_INVALID_ARGUMENT);
    CHECK(status([bad](Options& o) { o.path = bad; }) == GARNER_INVALID_ARGUMENT);
    CHECK(status([bad](Options& o) { o.body = bad; }) == GARNER_INVALID_ARGUMENT);
    CHECK(status([bad](Options& o) { o.calibration = bad; }) == GARNER_INVALID_ARGUMENT);
  }
  CHECK(status([](Options& o) { o.threads = -1; }) == GARNER_INVALID_ARGUMENT);
  CHECK(status([](Options& o) { o.code_cache_bytes = -1; }) == GARNER_INVALID_ARGUMENT);
  CHECK(status([](Options& o) { o.llc_bytes = -1; }) == GARNER_INVALID_ARGUMENT);
  CHECK(status([](Options& o) { o.min_shard_bytes = -2; }) == GARNER_INVALID_ARGUMENT);
  CHECK(
      status([](Options& o) {
        static const garner_allocator half = {nullptr, [](void*, size_t, size_t) -> void* { return nullptr; }, nullptr};
        o.allocator = &half;
      }) == GARNER_INVALID_ARGUMENT);
  CHECK(status([](Options& o) {
          static const garner_executor empty = GARNER_EXECUTOR_INIT;
          o.executor = &empty;
        }) == GARNER_INVALID_ARGUMENT);
  CHECK(status([](Options&) {}) == GARNER_OK);
}

TEST_CASE("preparing takes the emitting out of the first plan and tolerates operands without a kernel") {
  const ContextHandle context = make_context(context_options());
  garner_error error = no_error();
  const auto prepare = [&](const garner_op& op, garner_dtype dtype, int64_t bytes, garner_dtype index, int32_t depth) {
    return garner_context_prepare(context.get(), &op, dtype, bytes, index, depth, &error);
  };
  CHECK(prepare(gather_nd(), GARNER_FLOAT32, 0, GARNER_INT64, 1) == GARNER_OK);
  CHECK(prepare(gather_nd(), GARNER_OPAQUE, 12, GARNER_INT32, 3) == GARNER_OK);
  CHECK(prepare(gather_elements(0), GARNER_UINT8, 0, GARNER_UINT8, 1) == GARNER_OK);
  CHECK(prepare(gather_nd(), GARNER_STRING, 0, GARNER_INT64, 1) == GARNER_OK);
  CHECK(prepare(gather_nd(), 22, 0, GARNER_INT64, 1) == GARNER_UNSUPPORTED);
  CHECK(prepare(gather_nd(), GARNER_FLOAT32, 0, GARNER_FLOAT32, 1) == GARNER_UNSUPPORTED);
  CHECK(prepare(gather_nd(), GARNER_FLOAT32, 0, GARNER_INT64, 0) != GARNER_OK);
  CHECK(prepare(gather_nd(), GARNER_FLOAT32, 0, GARNER_INT64, 17) != GARNER_OK);
  CHECK(prepare(gather_nd(), GARNER_OPAQUE, 0, GARNER_INT64, 1) == GARNER_INVALID_ARGUMENT);
  CHECK(prepare(gather_elements(0), GARNER_OPAQUE, 65535, GARNER_INT64, 1) == GARNER_OK);
  CHECK(prepare(gather_nd(1), GARNER_OPAQUE, 65535, GARNER_INT64, 3) == GARNER_OK);
  CHECK(prepare(gather_nd(-3), GARNER_FLOAT32, 0, GARNER_INT64, 1) == GARNER_INVALID_ARGUMENT);
  SimpleProblem p;
  CHECK(p.execute(context.get()) == GARNER_OK);
  CHECK(p.right());
}

TEST_CASE("trimming keeps the code that plans use") {
  const ContextHandle context = make_context(context_options());
  SimpleProblem p;
  const PlanHandle plan = p.plan(context.get());
  CHECK(garner_context_trim(context.get(), 0) == GARNER_OK);
  CHECK(garner_context_trim(context.get(), -1) == GARNER_INVALID_ARGUMENT);
  CHECK(garner_plan_execute(plan.get(), &p.args, &p.error) == GARNER_OK);
  CHECK(p.right());
  SimpleProblem again;
  CHECK(again.execute(context.get()) == GARNER_OK);
  CHECK(again.right());
}

TEST_CASE("a tiny code cache slows down and never fails") {
  garner_context_options options = context_options();
  options.code_cache_bytes = 1;
  const ContextHandle context = make_context(options);
  std::vector<PlanHandle> plans;
  SimpleProblem p;
  for (int round = 0; round < 3; ++round) {
    for (int32_t bounds : {GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO}) {
      for (int32_t negative : {GARNER_NEGATIVE_WRAP, GARNER_NEGATIVE_REJECT}) {
        p.op = with_policy(gather_nd(), bounds, negative);
        plans.push_back(p.plan(context.get()));
        REQUIRE(plans.back());
      }
    }
  }
  for (const PlanHandle& plan : plans) {
    SimpleProblem fresh;
    CHECK(garner_plan_execute(plan.get(), &fresh.args, nullptr) == GARNER_OK);
    CHECK(fresh.right());
  }
}

TEST_CASE("jit switched off is said in the plan") {
  garner_context_options options = context_options();
  options.jit = GARNER_JIT_OFF;
  const ContextHandle context = make_context(options);
  SimpleProblem p;
  const PlanHandle plan = p.plan(context.get());
  REQUIRE(plan);
  Description description = describe(plan.get(), 1);
  CHECK(description["path"] != "jit");
  CHECK_FALSE(description["not_jit"].empty());
  CHECK(garner_plan_execute(plan.get(), &p.args, nullptr) == GARNER_OK);
  CHECK(p.right());
  options.path = GARNER_PATH_JIT;
  const ContextHandle contradictory = make_context(options);
  CHECK(p.plan_status(contradictory.get()) == GARNER_UNSUPPORTED);
}

TEST_CASE("every optimisation can be disabled and the answer stays") {
  for (uint32_t bit = 0; bit <= 8; ++bit) {
    garner_context_options options = context_options();
    options.disable = bit == 8 ? 0xFF : 1u << bit;
    const ContextHandle context = make_context(options);
    CAPTURE(bit);
    SimpleProblem p;
    CHECK(p.execute(context.get()) == GARNER_OK);
    CHECK(p.right());
  }
  garner_context_options options = context_options();
  ThreadExecutor threads(4);
  const garner_executor executor = threads.descriptor();
  options.executor = &executor;
  options.min_shard_bytes = 0;
  options.disable = GARNER_DISABLE_THREADS;
  const ContextHandle context = make_context(options);
  SimpleProblem p;
  CHECK(p.execute(context.get()) == GARNER_OK);
  CHECK(threads.calls() == 0);
}

TEST_CASE("disabled bodies are not taken") {
  garner_context_options options = context_options();
  options.disable = GARNER_DISABLE_TABLE | GARNER_DISABLE_HARDWARE;
  const ContextHandle context = make_context(options);
  const Tensor data = arange<float>({8}), index = indices({1000, 1}, std::vector<int64_t>(1000, 3));
  const garner_op op = gather_nd();
  const garner_tensor data_tensor = data.descriptor(), index_tensor = index.descriptor();
  garner_plan* created = nullptr;
  REQUIRE(garner_plan_create(context.get(), &op, &data_tensor, &index_tensor, nullptr, &created, nullptr) == GARNER_OK);
  const PlanHandle plan(created);
  Description description = describe(plan.get(), 1);
  if (description["path"] == "jit") CHECK(description["body"] == "loads");
}

TEST_CASE("a forced body that does not apply leaves the call possible") {
  for (int32_t body : {GARNER_BODY_TABLE, GARNER_BODY_LOADS, GARNER_BODY_HARDWARE}) {
    garner_context_options options = context_options();
    options.body = body;
    const ContextHandle context = make_context(options);
    CAPTURE(body);
    SimpleProblem p;  // two coordinates: no table in registers
    CHECK(p.execute(context.get()) == GARNER_OK);
    CHECK(p.right());
    p.op = gather_nd();
    p.index_shape[1] = 1;  // rows of 16 bytes: no hardware gather
    p.output.rank = 2;
    const int64_t shape[] = {2, 4};
    p.output.shape = shape;
    garner_plan* plan = nullptr;
    CHECK(garner_plan_create(context.get(), &p.op, &p.data, &p.indices, &p.output, &plan, nullptr) == GARNER_OK);
    garner_plan_destroy(plan);
  }
}

TEST_CASE("a context's threads option bounds every call") {
  garner_context_options options = options_for({GARNER_PATH_SCALAR, 0, 0});
  options.threads = 2;
  const ContextHandle context = make_context(options);
  SimpleProblem p;
  const PlanHandle plan = p.plan(context.get());
  CHECK(described_number(describe(plan.get(), 5), "threads") == 2);
  CHECK(described_number(describe(plan.get(), 1), "threads") == 1);
  CHECK(described_number(describe(plan.get(), 0), "threads") == 2);
}

TEST_CASE("verbose contexts log plans as problems that can be run again") {
  Log log;
  garner_context_options options = context_options();
  options.log = &Log::write;
  options.log_ctx = &log;
  options.verbose = 1;
  const ContextHandle context = make_context(options);
  SimpleProblem p;
  const PlanHandle plan = p.plan(context.get());
  CHECK(log.contains("gathernd:f32:3x4:i64:2x2"));
  const size_t after_plan = log.lines.size();
  CHECK(garner_plan_execute(plan.get(), &p.args, nullptr) == GARNER_OK);
  CHECK(log.lines.size() == after_plan);
  for (const std::string& line : log.lines) CHECK(line.find('\n') == std::string::npos);
  options.verbose = 2;
  const ContextHandle talkative = make_context(options);
  const PlanHandle second = p.plan(talkative.get());
  const size_t before_execution = log.lines.size();
  CHECK(garner_plan_execute(second.get(), &p.args, nullptr) == GARNER_OK);
  CHECK(log.lines.size() > before_execution);
}

TEST_CASE("a quiet context logs nothing") {
  Log log;
  garner_context_options options = context_options();
  options.log = &Log::write;
  options.log_ctx = &log;
  const ContextHandle context = make_context(options);
  SimpleProblem p;
  CHECK(p.execute(context.get()) == GARNER_OK);
  CHECK(log.lines.empty());
}
