// SPDX-License-Identifier: Apache-2.0
// Executors that break their own promises in the ways that the library can survive: the call ends when its work has ended,
// with the right output, whatever the executor did. (Those that keep them: tests/threads.)
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/owning_strings.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

constexpr int64_t tuples = 400;

Tensor some_indices() {
  std::vector<int64_t> values(static_cast<size_t>(tuples));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 13 % 40) - 20;
  return indices({tuples, 1}, values);
}

// Starts a call on a thread of its own and returns as soon as that works, while it still does.
struct EarlyReturner {
  std::thread thread;
  std::atomic<int32_t> copying{0};  // inside the copy callback
  std::atomic<bool> met_a_worker{false};
  std::thread::id caller = std::this_thread::get_id();

  ~EarlyReturner() { join(); }
  void join() {
    if (thread.joinable()) thread.join();
  }
  static int32_t concurrency(void*) { return 4; }
  static void parallel_for(void* ctx, int32_t, void (*fn)(void*, int32_t), void* arg) {
    auto* self = static_cast<EarlyReturner*>(ctx);
    self->caller = std::this_thread::get_id();
    self->thread = std::thread([fn, arg] { fn(arg, 0); });
    // A call of fn that has not begun by now would be the host's error; one that copies has begun.
    while (!self->met_a_worker.load()) std::this_thread::yield();
  }
  static int32_t copy(void* ctx, void* dst, const void* src) {
    auto* self = static_cast<EarlyReturner*>(ctx);
    self->copying.fetch_add(1);
    if (std::this_thread::get_id() != self->caller) {
      self->met_a_worker.store(true);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    *static_cast<std::string*>(dst) = *static_cast<const std::string*>(src);
    self->copying.fetch_sub(1);
    return 0;
  }
};

}  // namespace

TEST_CASE("an executor that returns while its calls still work") {
  std::vector<std::string> data(40);
  for (size_t i = 0; i < data.size(); ++i) data[i] = std::string(i, static_cast<char>('a' + i % 26));
  const Tensor index = some_indices();
  const std::vector<int64_t> values = values_of<int64_t>(index.bytes);
  for (int repeat = 0; repeat < 5; ++repeat) {
    EarlyReturner early;
    garner_executor executor = GARNER_EXECUTOR_INIT;
    executor.ctx = &early;
    executor.concurrency = &EarlyReturner::concurrency;
    executor.parallel_for = &EarlyReturner::parallel_for;
    garner_context_options options = context_options();
    options.min_shard_bytes = 0;
    options.executor = &executor;
    const ContextHandle context = make_context(options);
    garner_tensor data_tensor = GARNER_TENSOR_INIT;
    const int64_t shape[] = {40};
    data_tensor.dtype = GARNER_STRING;
    data_tensor.element_bytes = sizeof(std::string);
    data_tensor.rank = 1;
    data_tensor.shape = shape;
    const garner_tensor index_tensor = index.descriptor();
    std::vector<std::string> output(static_cast<size_t>(tuples));
    garner_args args = arguments();
    args.data = data.data();
    args.data_bytes = data.size() * sizeof(std::string);
    args.indices = index.bytes.data();
    args.indices_bytes = index.bytes.size();
    args.output = output.data();
    args.output_bytes = output.size() * sizeof(std::string);
    args.copy = &EarlyReturner::copy;
    args.copy_ctx = &early;
    const garner_op op = gather_nd();
    CHECK(garner_execute(context.get(), &op, &data_tensor, &index_tensor, nullptr, &args, nullptr) == GARNER_OK);
    CHECK(early.copying.load() == 0);  // whoever the executor left behind had ended before the call did
    bool right = true;
    for (size_t i = 0; i < output.size(); ++i) {
      const int64_t place = values[i] < 0 ? values[i] + 40 : values[i];
      right = right && output[i] == data[static_cast<size_t>(place)];
    }
    CHECK(right);
    early.join();
  }
}

TEST_CASE("an executor that calls more often than asked") {
  // Twice each, on threads that meet: no shard may be left out.
  const Problem problem{gather_nd(), arange<float>({40, 3}), some_indices()};
  const Expected expected = reference(problem);
  int calls = 0, ran = 0;
  garner_executor executor = GARNER_EXECUTOR_INIT;
  executor.ctx = &calls;
  executor.concurrency = [](void*) -> int32_t { return 4; };
  executor.parallel_for = [](void* ctx, int32_t n, void (*fn)(void*, int32_t), void* arg) {
    ++*static_cast<int*>(ctx);
    std::vector<std::thread> threads;
    for (int32_t i = 0; i < 2 * n; ++i) threads.emplace_back([=] { fn(arg, i % n); });
    for (std::thread& thread : threads) thread.join();
  };
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
    Bytes output(expected.output.size(), 0);
    garner_args args = arguments(problem, output);
    args.executor = &executor;
    const garner_status status =
        garner_execute(context_for(route), &problem.op, &data, &index, nullptr, &args, nullptr);
    if (status == GARNER_UNSUPPORTED && route.path != GARNER_PATH_AUTO) continue;
    CHECK(status == GARNER_OK);
    CHECK((output == expected.output));
    ++ran;
  }
  CHECK(ran >= 3);
  CHECK(calls == ran);
}
