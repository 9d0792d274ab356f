// SPDX-License-Identifier: Apache-2.0
// Every kernel of the list between guard pages, against the scalar kernel.
//   GARNER_TEST_SEED  seed of all draws
//   GARNER_TEST_LONG  1: all combinations of parameters instead of pairs
//   GARNER_TEST_ISA   avx2 or avx512: the only ISA to run
#include <algorithm>
#include <iostream>

#include "jit/kernel_cache.h"
#include "jit/kernel_list.h"
#include "runtime/allocator.h"
#include "tests/kernels/checked_call.h"
#include "tests/kernels/kernel_runs.h"
#include "tests/kernels/kernel_space.h"
#include "tests/support/catch.h"

namespace garner_test {
namespace {

using garner::jit::Body;
using garner::jit::KernelKey;

constexpr int64_t code_cap = int64_t{64} << 20;
constexpr int64_t most_bytes_of_a_run = 32 * 1024;
constexpr size_t most_failures = 20;
constexpr size_t most_failures_of_a_kernel = 2;

// Runs requests on one kernel after the other and keeps what failed.
class Sweep {
 public:
  Sweep(uint64_t seed) : random_(seed), cache_(garner::malloc_allocator(), code_cap, {nullptr, nullptr}) {}

  // False when the kernel could not be emitted.
  bool emit(const KernelKey& key) {
    garner::jit::release(kernel_);
    kernel_ = nullptr;
    key_ = key;
    failures_of_kernel_ = 0;
    const garner::jit::EmitStatus status = cache_.get(key, &kernel_);
    if (status != garner::jit::EmitStatus::ok) {
      fail(key_name(key) + ": not emitted, status " + std::to_string(static_cast<int>(status)));
      return false;
    }
    const unsigned char* code = reinterpret_cast<const unsigned char*>(garner::jit::entry(kernel_));
    static constexpr unsigned char endbr64[] = {0xF3, 0x0F, 0x1E, 0xFA};
    if (!std::equal(std::begin(endbr64), std::end(endbr64), code))
      fail(key_name(key) + ": does not begin with endbr64");
    return true;
  }

  void run(const RunRequest& request) {
    if (full() || failures_of_kernel_ >= most_failures_of_a_kernel) return;
    const std::string wrong = runs_.run(key_, garner::jit::entry(kernel_), request, random_);
    if (!wrong.empty()) fail(wrong);
  }

  void fail(const std::string& what) {
    ++failures_of_kernel_;
    if (!full()) failures_.push_back(what);
  }
  bool full() const { return failures_.size() >= most_failures; }

  void finish() {
    garner::jit::release(kernel_);
    kernel_ = nullptr;
    for (const std::string& failure : failures_) FAIL_CHECK(failure);
    CHECK(runs_.runs() > 0);
  }

  Random& random() { return random_; }
  const KernelRuns& runs() const { return runs_; }

 private:
  Random random_;
  garner::jit::KernelCache cache_;
  garner::jit::Kernel* kernel_ = nullptr;
  KernelKey key_{};
  FaultTrap trap_;
  KernelRuns runs_;
  std::vector<std::string> failures_;
  size_t failures_of_kernel_ = 0;
};

std::string class_name(const KernelClass& c) {
  std::string name = garner::jit::body_name(c.body);
  name.append(c.body == Body::slices ? " " : " x");
  name.append(std::to_string(c.body == Body::slices ? c.element_bytes : 8 * c.element_bytes));
  return name.append(" ").append(garner::isa_name(c.isa));
}

int64_t vector_elements(const KernelClass& c) {
  return std::max(1, (c.isa == garner::Isa::avx512 ? 64 : 32) / c.element_bytes);
}

// 1 to two vectors or two blocks, whichever is longer, and long rows on both sides of a kernel_block.
std::vector<int64_t> counts_of(const KernelClass& c, const KernelKey& key) {
  const int64_t longest = 2 * std::max<int64_t>(vector_elements(c), garner::jit::block_positions(key)) + 1;
  std::vector<int64_t> counts;
  for (int64_t count = 1; count <= longest; ++count) counts.push_back(count);
  for (const int64_t count : {255, 256, 257, 511, 700}) {
    if (count * c.element_bytes <= most_bytes_of_a_run) counts.push_back(count);
  }
  return counts;
}

void sweep_lengths(Sweep& sweep, const KernelClass& c, const KernelKey& key) {
  for (const int64_t count : counts_of(c, key)) {
    for (const Edge edge : {Edge::low, Edge::high}) {
      for (const Values values : all_values) {
        sweep.run({count, edge, 0, values, true});
        if (values == Values::extreme || count % 3 == 0) sweep.run({count, edge, 0, values, false});
      }
    }
  }
}

// Every offset for one width of a body, a few sampled ones for the others.
void sweep_offsets(Sweep& sweep, const KernelClass& c) {
  const bool every = c.element_bytes == 4;
  for (size_t offset = 0; offset < 64; ++offset) {
    if (!every && !sweep.random().chance(0.1)) continue;
    for (const Edge edge : {Edge::low, Edge::high}) {
      sweep.run({2 * vector_elements(c) + sweep.random().between(1, 17), edge, offset, Values::negative, true});
      sweep.run({sweep.random().between(1, 100), edge, offset,
                 sweep.random().chance(0.5) ? Values::valid : Values::extreme, sweep.random().chance(0.5)});
    }
  }
}

void sweep_body(Body body) {
  const uint64_t seed = test_seed();
  INFO("replay with GARNER_TEST_SEED=" << seed);
  Sweep sweep(seed);
  for (const KernelClass& c : runnable_classes(body)) {
    const int64_t before = sweep.runs().runs();
    const std::vector<KernelKey> keys = keys_of(c);
    for (const KernelKey& key : keys) {
      const std::string name = "replay with GARNER_TEST_SEED=" + std::to_string(seed) + ": " + key_name(key);
      INFO(name);  // shown when a guard page ends the program as well
      if (sweep.full() || !sweep.emit(key)) continue;
      sweep_lengths(sweep, c, key);
      sweep_offsets(sweep, c);
    }
    INFO("no kernel ran: " << class_name(c));
    CHECK(!keys.empty());
    CHECK((sweep.full() || sweep.runs().runs() > before));
    std::cout << class_name(c) << ": " << keys.size() << " kernels, " << sweep.runs().runs() - before << " runs"
              << std::endl;
  }
  std::cout << "seed " << seed << ", " << sweep.runs().short_returns() << " short returns" << std::endl;
  sweep.finish();
}

TEST_CASE("loads kernels stay inside their buffers and agree with the scalar kernel") { sweep_body(Body::loads); }
TEST_CASE("hardware kernels stay inside their buffers and agree with the scalar kernel") { sweep_body(Body::hardware); }
TEST_CASE("table kernels stay inside their buffers and agree with the scalar kernel") { sweep_body(Body::table); }

TEST_CASE("slices kernels stay inside their buffers and agree with the scalar kernel") { sweep_body(Body::slices); }

TEST_CASE("the call check sees what it looks for") {
  if (!upper_halves_observable())
    WARN("this CPU does not tell whether upper halves are in use: only their values are looked at");
  const garner::KernelArgs args{};
  const FaultTrap trap;
  CHECK(call_checked([](const garner::KernelArgs*) -> int64_t { return 7; }, args).violations.empty());
  CHECK(call_checked([](const garner::KernelArgs*) -> int64_t { return 7; }, args).result == 7);
  const auto sets_direction = [](const garner::KernelArgs*) -> int64_t {
    __asm__ volatile("std");
    return 0;
  };
  CHECK(call_checked(sets_direction, args).violations == " direction flag set");
  const auto leaves_upper_halves = [](const garner::KernelArgs*) -> int64_t {
    __asm__ volatile("vpcmpeqd %%xmm9, %%xmm9, %%xmm9\n\tvinsertf128 $1, %%xmm9, %%ymm9, %%ymm9" : : : "xmm9");
    return 0;
  };
  CHECK(call_checked(leaves_upper_halves, args).violations == " upper halves left in use");
  const auto faults = [](const garner::KernelArgs*) -> int64_t {
    __asm__ volatile("ud2");
    return 0;
  };
  CHECK(call_checked(faults, args).fault.signal == SIGILL);
}

}  // namespace
}  // namespace garner_test
