// SPDX-License-Identifier: Apache-2.0
// Where emitted code lives: never writable and executable at once, bounded in bytes, kept for those who use it.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "jit/kernel_cache.h"
#include "runtime/allocator.h"
#include "tests/kernels/kernel_runs.h"
#include "tests/kernels/kernel_space.h"
#include "tests/support/catch.h"
#include "tests/support/handles.h"

namespace garner_test {
namespace {

using garner::jit::EmitStatus;
using garner::jit::Kernel;
using garner::jit::KernelCache;
using garner::jit::KernelKey;

KernelCache make_cache(int64_t cap) { return KernelCache(garner::malloc_allocator(), cap, {nullptr, nullptr}); }

std::vector<KernelKey> many_keys() {
  std::vector<KernelKey> keys;
  for (const KernelClass& c : runnable_classes()) {
    const std::vector<KernelKey> more = keys_of(c);
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

struct Mapping {
  uintptr_t first, last;
  bool writable, executable;
  std::string line;
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> result;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    char permissions[5] = {};
    unsigned long first = 0, last = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, permissions) != 3) continue;
    result.push_back({first, last, permissions[1] == 'w', permissions[2] == 'x', line});
  }
  return result;
}

std::string writable_code() {
  for (const Mapping& mapping : mappings()) {
    if (mapping.writable && mapping.executable) return mapping.line;
  }
  return "";
}

bool runs_right(const KernelKey& key, Kernel* kernel) {
  KernelRuns runs;
  Random random(1);
  return runs.run(key, garner::jit::entry(kernel), {100, Edge::high, 0, Values::negative, true}, random).empty();
}

TEST_CASE("emitted code is never writable and executable at once") {
  const std::vector<KernelKey> keys = many_keys();
  if (keys.empty()) GARNER_TEST_SKIP("no kernel can run here");
  KernelCache cache = make_cache(int64_t{64} << 20);
  CHECK(garner::jit::executable_memory_available());
  std::atomic<bool> stop{false};
  std::string seen;
  std::thread watcher([&] {
    while (!stop.load() && seen.empty()) seen = writable_code();
  });
  std::vector<Kernel*> kernels;
  for (const KernelKey& key : keys) {
    Kernel* kernel = nullptr;
    if (cache.get(key, &kernel) == EmitStatus::ok) kernels.push_back(kernel);
  }
  stop.store(true);
  watcher.join();
  CHECK(kernels.size() == keys.size());
  CHECK(seen == "");
  CHECK(writable_code() == "");

  // Each kernel lies in a mapping that is executable and not writable.
  size_t inside = 0;
  const std::vector<Mapping> now = mappings();
  for (Kernel* kernel : kernels) {
    const auto at = reinterpret_cast<uintptr_t>(garner::jit::entry(kernel));
    for (const Mapping& mapping : now) {
      if (mapping.first <= at && at < mapping.last && mapping.executable && !mapping.writable) ++inside;
    }
    garner::jit::release(kernel);
  }
  CHECK(inside == kernels.size());
}

TEST_CASE("the code cache is bounded in bytes and drops what was not used for longest") {
  const std::vector<KernelKey> keys = many_keys();
  if (keys.empty()) GARNER_TEST_SKIP("no kernel can run here");
  constexpr int64_t cap = 128 * 1024;
  KernelCache cache = make_cache(cap);
  int64_t highest = 0;
  int32_t most = 0;
  for (const KernelKey& key : keys) {
    Kernel* kernel = nullptr;
    REQUIRE(cache.get(key, &kernel) == EmitStatus::ok);
    REQUIRE(garner::jit::code_bytes(kernel) > 0);
    garner::jit::release(kernel);
    REQUIRE(cache.bytes() <= cap);
    highest = std::max(highest, cache.bytes());
    most = std::max(most, cache.count());
  }
  CHECK(highest > cap / 2);
  CHECK(static_cast<size_t>(most) < keys.size());
  CHECK(cache.count() > 0);

  // The last one is still there: found, not made again.
  Kernel* first = nullptr;
  Kernel* second = nullptr;
  REQUIRE(cache.get(keys.back(), &first) == EmitStatus::ok);
  const int32_t count = cache.count();
  REQUIRE(cache.get(keys.back(), &second) == EmitStatus::ok);
  CHECK(first == second);
  CHECK(cache.count() == count);
  garner::jit::release(first);
  garner::jit::release(second);
}

TEST_CASE("trim empties the code cache and leaves kernels to those who hold them") {
  const std::vector<KernelKey> keys = many_keys();
  if (keys.empty()) GARNER_TEST_SKIP("no kernel can run here");
  KernelCache cache = make_cache(int64_t{64} << 20);
  const KernelKey key = keys.front();
  Kernel* held = nullptr;
  REQUIRE(cache.get(key, &held) == EmitStatus::ok);
  for (size_t i = 1; i < std::min<size_t>(keys.size(), 20); ++i) {
    Kernel* kernel = nullptr;
    REQUIRE(cache.get(keys[i], &kernel) == EmitStatus::ok);
    garner::jit::release(kernel);
  }
  const int64_t all = cache.bytes();
  cache.trim(all / 2);
  CHECK(cache.bytes() <= all / 2);
  CHECK(cache.bytes() > 0);
  cache.trim(0);
  CHECK(cache.bytes() == 0);
  CHECK(cache.count() == 0);
  CHECK(runs_right(key, held));

  Kernel* again = nullptr;
  REQUIRE(cache.get(key, &again) == EmitStatus::ok);
  CHECK(again != held);
  CHECK(runs_right(key, again));
  garner::jit::release(again);
  garner::jit::release(held);
}

TEST_CASE("code that was used again stays longer than code that was not") {
  const std::vector<KernelKey> keys = many_keys();
  if (keys.empty()) GARNER_TEST_SKIP("no kernel can run here");
  REQUIRE(keys.size() >= 4);
  KernelCache cache = make_cache(int64_t{64} << 20);
  std::vector<Kernel*> held;  // evicted code stays mapped, so that no other gets its address
  for (const size_t i : std::vector<size_t>{0, 1, 2, 3, 0}) {
    Kernel* kernel = nullptr;
    REQUIRE(cache.get(keys[i], &kernel) == EmitStatus::ok);
    held.push_back(kernel);
  }
  CHECK(held[4] == held[0]);
  cache.trim(cache.bytes() - 1);
  CHECK(cache.count() == 3);
  for (const size_t i : std::vector<size_t>{0, 2, 3, 1}) {
    Kernel* kernel = nullptr;
    REQUIRE(cache.get(keys[i], &kernel) == EmitStatus::ok);
    CHECK((kernel == held[i]) == (i != 1));
    held.push_back(kernel);
  }
  for (Kernel* kernel : held) garner::jit::release(kernel);
}

TEST_CASE("threads that ask for one kernel at once share it") {
  const std::vector<KernelKey> keys = many_keys();
  if (keys.empty()) GARNER_TEST_SKIP("no kernel can run here");
  constexpr int thread_count = 4;
  const size_t rounds = std::min<size_t>(keys.size(), 50);
  for (size_t round = 0; round < rounds; ++round) {
    KernelCache cache = make_cache(int64_t{4} << 20);
    std::atomic<int> ready{0};
    Kernel* got[thread_count] = {};
    EmitStatus status[thread_count] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t) {
      threads.emplace_back([&, t] {
        ready.fetch_add(1);
        while (ready.load() < thread_count) std::this_thread::yield();
        status[t] = cache.get(keys[round], &got[t]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(cache.count() == 1);
    for (int t = 0; t < thread_count; ++t) {
      CHECK(status[t] == EmitStatus::ok);
      CHECK(got[t] == got[0]);
    }
    CHECK(cache.bytes() == garner::jit::code_bytes(got[0]));
    for (Kernel* kernel : got) garner::jit::release(kernel);
  }
}

TEST_CASE("threads may get, trim and release in any order") {
  const std::vector<KernelKey> keys = many_keys();
  if (keys.empty()) GARNER_TEST_SKIP("no kernel can run here");
  KernelCache cache = make_cache(64 * 1024);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      Random random(t);
      KernelRuns runs;
      for (int i = 0; i < 300; ++i) {
        const KernelKey& key =
            keys[static_cast<size_t>(random.between(0, std::min<int64_t>(static_cast<int64_t>(keys.size()), 30) - 1))];
        Kernel* kernel = nullptr;
        if (cache.get(key, &kernel) != EmitStatus::ok) {
          ++wrong;
          continue;
        }
        if (random.chance(0.1)) cache.trim(random.between(0, 32 * 1024));
        if (!runs.run(key, garner::jit::entry(kernel), {40, Edge::high, 0, Values::valid, true}, random).empty())
          ++wrong;
        garner::jit::release(kernel);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong.load() == 0);
  CHECK(cache.bytes() <= 64 * 1024);
}

TEST_CASE("a plan keeps its code when the context is trimmed and gone") {
  garner_context_options options = context_options();
  options.path = GARNER_PATH_JIT;
  ContextHandle context = make_context(options);
  const int64_t data_shape[] = {8}, index_shape[] = {5, 1};
  garner_tensor data = GARNER_TENSOR_INIT;
  data.dtype = GARNER_FLOAT32;
  data.rank = 1;
  data.shape = data_shape;
  garner_tensor indices = GARNER_TENSOR_INIT;
  indices.dtype = GARNER_INT64;
  indices.rank = 2;
  indices.shape = index_shape;
  const garner_op op = gather_nd();
  garner_plan* created = nullptr;
  garner_error error = no_error();
  const garner_status status = garner_plan_create(context.get(), &op, &data, &indices, nullptr, &created, &error);
  if (status == GARNER_UNSUPPORTED) GARNER_TEST_SKIP(error.text);
  const PlanHandle plan(created);
  REQUIRE(status == GARNER_OK);
  CHECK(garner_context_trim(context.get(), 0) == GARNER_OK);
  context.reset();

  const float values[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t where[] = {7, -8, 3, -1, 0};
  float output[5] = {};
  garner_args args = arguments();
  args.data = values;
  args.data_bytes = sizeof(values);
  args.indices = where;
  args.indices_bytes = sizeof(where);
  args.output = output;
  args.output_bytes = sizeof(output);
  CHECK(garner_plan_execute(plan.get(), &args, &error) == GARNER_OK);
  const float expected[] = {7, 0, 3, 7, 0};
  CHECK(std::memcmp(output, expected, sizeof(output)) == 0);
}

}  // namespace
}  // namespace garner_test
