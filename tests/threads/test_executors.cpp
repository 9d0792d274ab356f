// SPDX-License-Identifier: Apache-2.0
// Executors of hosts: ordinary, odd, and outright lazy ones. The output never depends on them.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/reference.h"
#include "tests/support/threads.h"

using namespace garner_test;

namespace {

using ParallelFor = void (*)(void*, int32_t, void (*)(void*, int32_t), void*);

// Everything on the calling thread, in order.
void serial(void*, int32_t n, void (*fn)(void*, int32_t), void* arg) {
  for (int32_t i = 0; i < n; ++i) fn(arg, i);
}
void reversed(void*, int32_t n, void (*fn)(void*, int32_t), void* arg) {
  for (int32_t i = n; i-- > 0;) fn(arg, i);
}
// Runs nothing at all: the library does all of it.
void does_nothing(void*, int32_t, void (*)(void*, int32_t), void*) {}
// Runs the first half only.
void half(void*, int32_t n, void (*fn)(void*, int32_t), void* arg) {
  for (int32_t i = 0; i < n / 2; ++i) fn(arg, i);
}
void only_the_last(void*, int32_t n, void (*fn)(void*, int32_t), void* arg) { fn(arg, n - 1); }
// One new thread per call of fn, all at once.
void thread_each(void*, int32_t n, void (*fn)(void*, int32_t), void* arg) {
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < n; ++i) threads.emplace_back([=] { fn(arg, i); });
  for (std::thread& thread : threads) thread.join();
}
// Another thread does it all while the caller waits.
void elsewhere(void*, int32_t n, void (*fn)(void*, int32_t), void* arg) {
  std::thread([=] { serial(nullptr, n, fn, arg); }).join();
}

struct Kind {
  const char* name;
  ParallelFor parallel_for;
};
constexpr Kind kinds[] = {{"serial", serial},      {"reversed", reversed},           {"does nothing", does_nothing},
                          {"half", half},          {"only the last", only_the_last}, {"thread each", thread_each},
                          {"elsewhere", elsewhere}};

int32_t five(void*) { return 5; }

garner_executor executor_of(ParallelFor parallel_for, int32_t (*concurrency)(void*) = five, void* ctx = nullptr) {
  garner_executor executor = GARNER_EXECUTOR_INIT;
  executor.ctx = ctx;
  executor.concurrency = concurrency;
  executor.parallel_for = parallel_for;
  return executor;
}

std::vector<Problem> problems() {
  std::vector<int64_t> values(3000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7919 % 200) - 100;
  return {{gather_nd(), arange<float>({100}), indices({3000, 1}, values)},
          {gather_nd(), arange<float>({100, 5}), indices({3000, 1}, values)},
          {gather_elements(0), arange<double>({100, 30}), indices({100, 30}, values)}};
}

// Executes through the given executor on every route; returns how many routes ran.
int expect_through(const garner_executor& executor, int32_t max_threads = 0) {
  int ran = 0;
  for (const Problem& problem : problems()) {
    const Expected expected = reference(problem);
    for (const Route& route : routes()) {
      INFO("route " << name(route));
      const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
      garner_plan* created = nullptr;
      const garner_status planned =
          garner_plan_create(context_for(route), &problem.op, &data, &index, nullptr, &created, nullptr);
      const PlanHandle plan(created);
      if (planned == GARNER_UNSUPPORTED && route.path != GARNER_PATH_AUTO) continue;
      REQUIRE(planned == GARNER_OK);
      Bytes output(expected.output.size(), 0xA5);
      garner_args args = arguments(problem, output);
      args.max_threads = max_threads;
      args.executor = &executor;
      CHECK(garner_plan_execute(plan.get(), &args, nullptr) == GARNER_OK);
      CHECK((output == expected.output));
      ++ran;
    }
  }
  return ran;
}

}  // namespace

TEST_CASE("executors of any kind give the same output") {
  for (const Kind& kind : kinds) {
    INFO(kind.name);
    const garner_executor executor = executor_of(kind.parallel_for);
    CHECK(expect_through(executor) >= 3);
  }
}

TEST_CASE("work is really handed to the executor") {
  ThreadExecutor threads(4);
  const garner_executor executor = threads.descriptor();
  const int ran = expect_through(executor);
  CHECK(threads.calls() == ran);
  CHECK(threads.tasks() > threads.calls());
}

TEST_CASE("several threads run shards at the same time") {
  // Each call of fn waits until all of them have begun, which only works when they run at once.
  struct Meeting {
    std::atomic<int32_t> here{0};
  } meeting;
  const garner_executor executor = executor_of(
      [](void* ctx, int32_t n, void (*fn)(void*, int32_t), void* arg) {
        auto* self = static_cast<Meeting*>(ctx);
        self->here = 0;
        std::vector<std::thread> threads;
        for (int32_t i = 0; i < n; ++i) {
          threads.emplace_back([=] {
            self->here.fetch_add(1);
            while (self->here.load() < n) std::this_thread::yield();
            fn(arg, i);
          });
        }
        for (std::thread& thread : threads) thread.join();
      },
      five, &meeting);
  CHECK(expect_through(executor) >= 3);
}

TEST_CASE("concurrency that makes no sense is one thread") {
  for (auto concurrency : {+[](void*) -> int32_t { return 1; }, +[](void*) -> int32_t { return 0; },
                           +[](void*) -> int32_t { return -5; }}) {
    std::atomic<int> calls{0};
    const garner_executor executor = executor_of(
        [](void* ctx, int32_t n, void (*fn)(void*, int32_t), void* arg) {
          static_cast<std::atomic<int>*>(ctx)->fetch_add(1);
          serial(nullptr, n, fn, arg);
        },
        concurrency, &calls);
    CHECK(expect_through(executor) >= 3);
    CHECK(calls == 0);
  }
}

TEST_CASE("one allowed thread never reaches the executor") {
  std::atomic<int> calls{0};
  const garner_executor executor = executor_of(
      [](void* ctx, int32_t n, void (*fn)(void*, int32_t), void* arg) {
        static_cast<std::atomic<int>*>(ctx)->fetch_add(1);
        serial(nullptr, n, fn, arg);
      },
      five, &calls);
  CHECK(expect_through(executor, 1) >= 3);
  CHECK(calls == 0);
}

TEST_CASE("far more concurrency than cores") {
  ThreadExecutor threads(40);
  CHECK(expect_through(threads.descriptor()) >= 3);
  const garner_executor boundless = executor_of(serial, [](void*) -> int32_t { return INT32_MAX; });
  CHECK(expect_through(boundless) >= 3);
}

TEST_CASE("an executor called from its own workers") {
  // Each task of an outer parallel loop executes a gather through the same executor.
  ThreadExecutor threads(3);
  const garner_executor executor = threads.descriptor();
  const Problem problem = problems()[0];
  const Expected expected = reference(problem);
  const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
  garner_plan* created = nullptr;
  REQUIRE(garner_plan_create(context_for({GARNER_PATH_AUTO, 0, 0}), &problem.op, &data, &index, nullptr, &created,
                             nullptr) == GARNER_OK);
  const PlanHandle plan(created);
  struct Outer {
    const garner_plan* plan;
    const Problem* problem;
    const garner_executor* executor;
    std::vector<Bytes> outputs;
    std::atomic<int> failures{0};
  } outer{plan.get(), &problem, &executor, std::vector<Bytes>(8, Bytes(expected.output.size())), {}};
  executor.parallel_for(
      executor.ctx, 8,
      [](void* arg, int32_t i) {
        auto* self = static_cast<Outer*>(arg);
        Bytes& output = self->outputs[static_cast<size_t>(i)];
        garner_args args = arguments(*self->problem, output);
        args.executor = self->executor;
        if (garner_plan_execute(self->plan, &args, nullptr) != GARNER_OK) self->failures.fetch_add(1);
      },
      &outer);
  CHECK(outer.failures == 0);
  for (const Bytes& output : outer.outputs) CHECK((output == expected.output));
}

TEST_CASE("one long slice is split among threads too") {
  const int64_t width = 100000;
  const Problem problem{gather_nd(), patterned(GARNER_FLOAT32, 0, {3, width}), indices({1, 1}, {-1})};
  const Expected expected = reference(problem);
  int ran = 0;
  for (const Route& route : routes()) {
    for (int32_t threads : {2, most_threads}) {
      const Outcome outcome = run(route, problem, threads);
      if (!outcome.applied) continue;
      CAPTURE(name(route), threads);
      CHECK(outcome.status == GARNER_OK);
      CHECK((outcome.output == expected.output));
      CHECK(described_number(outcome.description, "shards") > 1);
      ++ran;
    }
  }
  CHECK(ran >= 4);
}

TEST_CASE("a slice that is hardly worth splitting is not cut into parts that are too short") {
  // Movers of long runs take no part below a certain length: they would write before it.
  int ran = 0, split = 0;
  for (const int64_t width : {255, 256, 257, 300, 383, 384, 448, 511, 512, 513, 700, 767, 768, 1023, 1100}) {
    const Problem problem{gather_nd(), patterned(GARNER_UINT8, 0, {3, width}), indices({1, 1}, {-1})};
    const Expected expected = reference(problem);
    for (const Route& route : routes()) {
      const Outcome outcome = run(route, problem, most_threads);
      if (!outcome.applied) continue;
      CAPTURE(name(route), width);
      CHECK(outcome.status == GARNER_OK);
      CHECK(outcome.inside);
      CHECK((outcome.output == expected.output));
      ++ran;
      if (described_number(outcome.description, "shards") > 1) ++split;
    }
  }
  CHECK(ran >= 30);
  CHECK(split > 0);
}
