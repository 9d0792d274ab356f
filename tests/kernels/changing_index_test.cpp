// SPDX-License-Identifier: Apache-2.0
// The index buffer changes while a kernel runs: the caller's race may give any element of data, and nothing else. What
// was checked must be what is used; a second read of an index between check and use shows here as a fault or a foreign
// value.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "jit/kernel_cache.h"
#include "runtime/allocator.h"
#include "tests/kernels/kernel_runs.h"
#include "tests/kernels/kernel_space.h"
#include "tests/support/catch.h"

namespace garner_test {
namespace {

using garner::Bounds;
using garner::IndexType;
using garner::jit::KernelKey;
using garner::jit::Lanes;

constexpr int64_t positions = 509;
constexpr auto time_per_kernel = std::chrono::milliseconds(20);
constexpr auto long_time_per_kernel = std::chrono::milliseconds(500);

// Every byte of data has this bit set, so nothing else can pass for an element; zeros come from Bounds::zero only.
constexpr std::byte element_mark{0x80};

// What the buffer holds most of the time. A negative value is bad where it does not count from the end.
Values usual_values(const garner::GatherProblem& problem) {
  return problem.negative == garner::Negative::reject && problem.bounds == Bounds::error ? Values::valid
                                                                                         : Values::negative;
}

// Writes single index values, again and again, in place and without any order that a reader could rely on.
class Changer {
 public:
  Changer(const KernelProblem& p, std::byte* first_position, int64_t percent_bad, uint64_t seed)
      : thread_([this, &p, first_position, percent_bad, seed] { run(p, first_position, percent_bad, Random(seed)); }) {}
  ~Changer() {
    stop_.store(true);
    thread_.join();
  }

 private:
  void run(const KernelProblem& p, std::byte* first_position, int64_t percent_bad, Random random) {
    const IndexType type = p.problem.index_type;
    while (!stop_.load(std::memory_order_relaxed)) {
      for (int i = 0; i < 64; ++i) {
        const auto position = static_cast<size_t>(random.between(0, static_cast<int64_t>(p.index_at.size()) - 1));
        const auto k = static_cast<int>(random.between(0, p.problem.coord_count - 1));
        std::byte* const at = first_position + p.index_at[position] + p.args.coords[k].index_stride;
        const bool bad = random.between(0, 99) < percent_bad;
        const int64_t extent = p.args.coords[k].extent;
        store(at, garner::index_bytes(type),
              draw_index(type, extent, bad ? Values::extreme : usual_values(p.problem), random));
        // Under Bounds::error a bad value ends the call: let it stand for a moment only.
        if (bad && p.problem.bounds == Bounds::error) store(at, garner::index_bytes(type), 0);
      }
    }
  }

  // Whole values, as a racing program would store them.
  static void store(std::byte* at, int bytes, uint64_t value) {
    switch (bytes) {
      case 1: *reinterpret_cast<volatile uint8_t*>(at) = static_cast<uint8_t>(value); break;
      case 2: *reinterpret_cast<volatile uint16_t*>(at) = static_cast<uint16_t>(value); break;
      case 4: *reinterpret_cast<volatile uint32_t*>(at) = static_cast<uint32_t>(value); break;
      default: *reinterpret_cast<volatile uint64_t*>(at) = value;
    }
  }

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class Race {
 public:
  Race() : data_(size_t{1} << 18), indices_(size_t{1} << 18), output_(size_t{1} << 18) {}

  std::string run(const KernelKey& key, garner::KernelFunction function, Edge edge, Random& random) {
    KernelProblem p = make_problem(key, positions, true, random);
    while (p.data_high == p.data_low || p.index_at[1] % garner::index_bytes(key.index_type) != 0) {
      p = make_problem(key, positions, true, random);
    }
    alignas(64) static constexpr std::byte zeros[garner::zeros_bytes] = {};
    std::byte* const data = data_.place(static_cast<size_t>(p.data_high - p.data_low), edge);
    for (size_t i = 0; i < data_.size(); ++i) data[i] = element_mark | static_cast<std::byte>(random.next() & 0x7F);
    data_.make_read_only();
    // The lower page edge keeps index values aligned, so that each is stored as a whole.
    std::byte* const indices = indices_.place(static_cast<size_t>(p.index_high - p.index_low), Edge::low);
    write_indices(p, indices - p.index_low, usual_values(p.problem), random);
    std::byte* const output = output_.place(static_cast<size_t>(p.output_high - p.output_low), edge);
    p.args.data = data - p.data_low;
    p.args.indices = indices - p.index_low;
    p.args.output = output - p.output_low;
    p.args.zeros = zeros;
    p.args.problem = &p.problem;

    const Changer changer(p, indices - p.index_low, key.bounds == Bounds::error ? 2 : 30, random.next());
    const auto end = std::chrono::steady_clock::now() + (long_test() ? long_time_per_kernel : time_per_kernel);
    do {
      std::memset(output, 0, output_.size());
      const int64_t done = function(&p.args);
      ++calls_;
      completed_ += done;
      if (done < 0 || done > positions) return "returned " + std::to_string(done);
      if (key.bounds != Bounds::error && done != positions)
        return "stopped at " + std::to_string(done) + " without a reason";
      for (int64_t position = 0; position < done; ++position) {
        const std::byte* const element = output + (p.output_at[static_cast<size_t>(position)] - p.output_low);
        if (!is_element(key, element)) return "position " + std::to_string(position) + " holds no element of data";
      }
      if (!output_.surroundings_intact()) return "bytes around the output written";
    } while (std::chrono::steady_clock::now() < end);
    return "";
  }

  int64_t calls() const { return calls_; }
  int64_t completed() const { return completed_; }

 private:
  static bool is_element(const KernelKey& key, const std::byte* element) {
    const std::byte* const end = element + key.element_bytes;
    if (std::all_of(element, end, [](std::byte b) { return (b & element_mark) != std::byte{0}; })) return true;
    return key.bounds == Bounds::zero && std::all_of(element, end, [](std::byte b) { return b == std::byte{0}; });
  }

  GuardedBuffer data_, indices_, output_;
  int64_t calls_ = 0;
  int64_t completed_ = 0;
};

TEST_CASE("indices that change during a call select elements of data and nothing else") {
  const uint64_t seed = test_seed();
  INFO("replay with GARNER_TEST_SEED=" << seed);
  Random random(seed);
  garner::jit::KernelCache cache(garner::malloc_allocator(), int64_t{16} << 20, {nullptr, nullptr});
  Race race;
  for (const KernelClass& c : runnable_classes()) {
    // One key for each policy and index width of 32 and 64 bits, of whatever lane form comes first.
    std::vector<KernelKey> keys;
    for (const KernelKey& key : keys_of(c)) {
      const bool wide = key.index_type == IndexType::i64 || key.index_type == IndexType::i32;
      const bool seen = std::any_of(keys.begin(), keys.end(), [&key](const KernelKey& other) {
        return other.bounds == key.bounds && other.index_type == key.index_type;
      });
      if (wide && !seen && key.lanes != Lanes::strided) keys.push_back(key);
    }
    CHECK(keys.size() >= 3);
    for (const KernelKey& key : keys) {
      INFO(key_name(key));
      garner::jit::Kernel* kernel = nullptr;
      REQUIRE(cache.get(key, &kernel) == garner::jit::EmitStatus::ok);
      const int64_t before = race.completed();
      for (const Edge edge : {Edge::low, Edge::high}) {
        const std::string wrong = race.run(key, garner::jit::entry(kernel), edge, random);
        CHECK(wrong == "");
      }
      CHECK(race.completed() > before);
      garner::jit::release(kernel);
    }
  }
}

}  // namespace
}  // namespace garner_test
