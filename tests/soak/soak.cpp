// SPDX-License-Identifier: Apache-2.0
// soak SECONDS [SEED]: random problems on every path from several threads at once, each verified, while another thread trims
// the code cache of the context that they share and makes and destroys contexts. Ends with one line: operations, failures,
// growth. Exit code 1 when something failed or memory grew.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/property/case_generator.h"
#include "tests/property/executions.h"

using namespace garner_test;
using Clock = std::chrono::steady_clock;

namespace {

// What the heap may vary by, with buffers of up to half a MiB in every thread.
constexpr int64_t tolerated_kib = 16 * 1024;

struct Shared {
  garner_context* context = nullptr;
  std::atomic<bool> stop{false};
  std::atomic<int64_t> operations{0};
  std::atomic<int64_t> failures{0};
  std::atomic<uint64_t> next_seed{0};
  std::mutex print;

  void fail(const std::string& what) {
    failures.fetch_add(1);
    const std::lock_guard<std::mutex> lock(print);
    std::fprintf(stderr, "failure: %s\n", what.c_str());
  }
};

// Plan, execute, destroy in the context that all threads share.
void run_shared(Shared& shared, const GatherCase& c, uint64_t seed) {
  const Call call(c);
  const std::vector<std::byte> before(static_cast<size_t>(c.output.buffer_bytes), std::byte{0x5A});
  std::vector<std::byte> result = before;
  const ModelResult expected = run_model(c, before);
  garner_args args = arguments();
  args.data = c.data_bytes.data();
  args.data_bytes = c.data_bytes.size();
  args.indices = c.index_bytes.data();
  args.indices_bytes = c.index_bytes.size();
  args.output = result.data();
  args.output_bytes = result.size();
  garner_plan* plan = nullptr;
  garner_error error = no_error();
  garner_status status =
      garner_plan_create(shared.context, &call.op, &call.data, &call.indices, call.output_or_null(), &plan, &error);
  if (status == GARNER_OK) status = garner_plan_execute(plan, &args, &error);
  garner_plan_destroy(plan);
  if (status != expected.status) {
    shared.fail("seed " + std::to_string(seed) + ": " + describe(c) + ": " + garner_status_name(status) + " " +
                error.text);
  } else if (status == GARNER_OK && result != expected.output) {
    shared.fail("seed " + std::to_string(seed) + ": " + describe(c) + ": wrong output in the shared context");
  } else if (status == GARNER_OUT_OF_BOUNDS && error.position != expected.position) {
    shared.fail("seed " + std::to_string(seed) + ": " + describe(c) + ": wrong position in the shared context");
  }
  shared.operations.fetch_add(1);
}

void work(Shared& shared) {
  Executions executions;
  int64_t counted = 0;
  while (!shared.stop.load()) {
    const uint64_t seed = shared.next_seed.fetch_add(1);
    Random random(seed);
    const GatherCase c = random_case(random);
    run_shared(shared, c, seed);
    for (const std::string& failure : executions.run(c, random))
      shared.fail("seed " + std::to_string(seed) + ": " + describe(c) + ": " + failure);
    const int64_t now = executions.counters().executions;
    shared.operations.fetch_add(now - counted);
    counted = now;
  }
}

// Trims the shared context, prepares kernels in it, and lets contexts come and go.
void disturb(Shared& shared) {
  Random random(1);
  while (!shared.stop.load()) {
    garner_context_trim(shared.context, random.pick({0, 4096, 65536, 1 << 20}));
    const garner_op op = gather_nd();
    garner_context_prepare(shared.context, &op, random.pick({GARNER_FLOAT32, GARNER_UINT8, GARNER_FLOAT64}), 0,
                           random.pick({GARNER_INT32, GARNER_INT64}), 1, nullptr);
    const ContextHandle other = make_context(context_options());
    garner_context_trim(nullptr, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(random.between(1, 20)));
  }
}

int64_t resident_kib() {
  malloc_trim(0);  // what the heap keeps for later is no leak
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4;
}

// Emitted code: each context keeps what it emitted, up to the cap of its cache, so this grows until the caches are full.
int64_t code_kib() {
  std::ifstream maps("/proc/self/maps");
  int64_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, last = 0, inode = 0;
    char permissions[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %*s %*s %lu", &first, &last, permissions, &inode) == 4 &&
        permissions[2] == 'x' && inode == 0 && line.find('[') == std::string::npos) {
      bytes += static_cast<int64_t>(last - first);
    }
  }
  return bytes / 1024;
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 0;
  if (seconds <= 0) return std::fprintf(stderr, "usage: %s SECONDS [SEED]\n", arguments[0]), 2;
  Shared shared;
  shared.next_seed = count > 2 ? std::strtoull(arguments[2], nullptr, 0) : std::random_device{}();
  shared.context = make_context(context_options()).release();
  const unsigned workers = std::max(2u, std::thread::hardware_concurrency());
  std::printf("%u threads, first seed %llu\n", workers, static_cast<unsigned long long>(shared.next_seed.load()));

  std::vector<std::thread> threads;
  for (unsigned t = 0; t < workers; ++t) threads.emplace_back(work, std::ref(shared));
  threads.emplace_back(disturb, std::ref(shared));
  const auto sleep_until = [start = Clock::now(), seconds](double part) {
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds * part)));
  };
  // The first third warms up: contexts, caches, the heap of each thread.
  sleep_until(1.0 / 3);
  const int64_t code_before = code_kib(), resident_before = resident_kib() - code_before,
                operations_before = shared.operations;
  sleep_until(2.0 / 3);
  const int64_t middle = shared.operations;
  sleep_until(1);
  const int64_t end = shared.operations;
  const int64_t code = code_kib(), growth = resident_kib() - code - resident_before;
  shared.stop = true;
  for (std::thread& thread : threads) thread.join();
  garner_context_destroy(shared.context);

  const bool flat = growth <= tolerated_kib;
  std::printf(
      "soak: %lld operations in %.0f s (last third / middle third %.2f), %lld failures, resident memory without code "
      "%+lld KiB (now %lld), code %+lld KiB (now %lld)%s\n",
      static_cast<long long>(end), seconds,
      middle > operations_before ? static_cast<double>(end - middle) / static_cast<double>(middle - operations_before)
                                 : 0.0,
      static_cast<long long>(shared.failures.load()), static_cast<long long>(growth),
      static_cast<long long>(resident_before + growth), static_cast<long long>(code - code_before),
      static_cast<long long>(code), flat ? "" : ": it GREW");
  return shared.failures == 0 && flat && end > 0 ? 0 : 1;
}
