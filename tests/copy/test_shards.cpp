// SPDX-License-Identifier: Apache-2.0
// Work cut at every boundary: problems that can be cut along tuples, along slices or both, on 1 to 9 threads, through hosts of
// every kind. Bytes and errors are those of one thread.
//   GARNER_TEST_SEED  seed of the first problem; the following ones count up from it
//   GARNER_TEST_RUNS  number of problems
#include <algorithm>
#include <iostream>
#include <memory>

#include "tests/copy/copy_forms.h"
#include "tests/copy/host_executor.h"
#include "tests/copy/shard_problem.h"
#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

constexpr int64_t default_problems = 60;
constexpr int32_t most_workers = HostExecutor::concurrency;

struct Setting {
  std::string name;
  int32_t path, isa;
  uint32_t disable;
  int64_t llc_bytes;
  int64_t min_shard_bytes;
};

std::vector<Setting> settings() {
  const int64_t large = int64_t{1} << 40;
  std::vector<Setting> result;
  // 0: a shard for each thread, however small; otherwise up to four of them.
  for (const int64_t least : {0, 200}) {
    result.push_back({"default", GARNER_PATH_AUTO, GARNER_ISA_AUTO, 0, large, least});
    result.push_back({"movers", GARNER_PATH_COPY, GARNER_ISA_AUTO, GARNER_DISABLE_SLICES, large, least});
    result.push_back({"streamed", GARNER_PATH_COPY, GARNER_ISA_AUTO, GARNER_DISABLE_SLICES, 1, least});
    result.push_back({"scalar movers", GARNER_PATH_COPY, GARNER_ISA_SCALAR, 0, large, least});
    result.push_back({"scalar", GARNER_PATH_SCALAR, GARNER_ISA_AUTO, 0, large, least});
  }
  return result;
}

struct Counts {
  int64_t executions = 0, sharded = 0, tuples_cut = 0, slices_cut = 0, failures = 0, left_to_caller = 0, streamed = 0;
};

// One problem in one context.
class ShardedRuns {
 public:
  ShardedRuns(const Setting& setting, HostExecutor& host) : setting_(setting), host_(host) {
    const garner_executor executor = host.descriptor();
    garner_context_options options = context_options();
    options.path = setting.path;
    options.max_isa = setting.isa;
    options.disable = setting.disable;
    options.llc_bytes = setting.llc_bytes;
    options.min_shard_bytes = setting.min_shard_bytes;
    options.executor = &executor;
    context_ = make_context(options);
  }

  // Plans anew; false: the forced path cannot take the problem.
  bool plan(const Problem& problem) {
    problem_ = &problem;
    const garner_tensor data = problem.data.descriptor(), indices = problem.indices.descriptor();
    garner_plan* plan = nullptr;
    garner_error error = no_error();
    const garner_status status =
        garner_plan_create(context_.get(), &problem.op, &data, &indices, nullptr, &plan, &error);
    plan_.reset(plan);
    if (status == GARNER_UNSUPPORTED && setting_.path == GARNER_PATH_COPY) return false;
    INFO(error.text);
    REQUIRE(status == GARNER_OK);
    return true;
  }

  void run(int32_t threads, HostMode mode, const Expected& expected, size_t misalignment, Counts& counts) {
    INFO(setting_.name << ", shards of " << setting_.min_shard_bytes << " bytes, " << threads << " threads, "
                       << name(mode));
    const Description description = describe(plan_.get(), threads);
    const int64_t shards = described_number(description, "shards");
    check_cut(description, threads);

    constexpr size_t canary = 64;
    Bytes memory(expected_bytes(description) + 2 * canary + 128, 0xA5);
    const size_t start = (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64 + canary + misalignment % 64;
    memory.resize(start + expected_bytes(description) + canary, 0xA5);
    garner_args args = arguments();
    args.data = problem_->data.bytes.data();
    args.data_bytes = problem_->data.bytes.size();
    args.indices = problem_->indices.bytes.data();
    args.indices_bytes = problem_->indices.bytes.size();
    args.output = memory.data() + start;
    args.output_bytes = expected_bytes(description);
    args.max_threads = threads;
    garner_error error = no_error();
    host_.become(mode);
    const garner_status status = garner_plan_execute(plan_.get(), &args, &error);

    CHECK(host_.calls() == (shards > 1 ? 1 : 0));
    if (shards > 1) CHECK(host_.asked() == described_number(description, "threads"));
    check_answer(
        status, error, expected,
        Bytes(memory.begin() + static_cast<std::ptrdiff_t>(start), memory.end() - static_cast<std::ptrdiff_t>(canary)));
    CHECK(std::all_of(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(start), is_mark));
    CHECK(std::all_of(memory.end() - static_cast<std::ptrdiff_t>(canary), memory.end(), is_mark));
    count(description, shards, status, counts);
  }

 private:
  static bool is_mark(uint8_t byte) { return byte == 0xA5; }
  static size_t expected_bytes(const Description& description) {
    return static_cast<size_t>(described_number(description, "output_bytes"));
  }

  // As many shards as threads wherever there is enough that can be cut.
  void check_cut(const Description& description, int32_t threads) const {
    const int64_t shards = described_number(description, "shards");
    const int64_t tuples = described_number(description, "tuples");
    const int64_t runs = described_number(description, "slice_runs");
    const int64_t pieces = runs > 1 ? runs : std::max<int64_t>(described_number(description, "run_bytes") / 256, 1);
    CHECK(described_number(description, "threads") <= threads);
    if (threads == 1) {
      CHECK(shards == 1);
    } else if (setting_.min_shard_bytes == 0) {
      CHECK(shards >= std::min<int64_t>(threads, tuples * pieces));
      CHECK(described_number(description, "threads") == std::min<int64_t>(threads, shards));
    }
  }

  static void check_answer(garner_status status, const garner_error& error, const Expected& expected,
                           const Bytes& output) {
    CHECK(status == expected.status);
    if (status != expected.status) return;
    if (status == GARNER_OK) {
      CHECK((output == expected.output));
      return;
    }
    CHECK(error.position == expected.position);
    CHECK(error.coordinate == expected.coordinate);
    CHECK(error.axis == expected.axis);
    CHECK(error.value == expected.value);
    CHECK(error.extent == expected.extent);
  }

  void count(const Description& description, int64_t shards, garner_status status, Counts& counts) const {
    ++counts.executions;
    if (shards > 1) ++counts.sharded;
    if (shards > 1 && described_number(description, "tuples") > 1) ++counts.tuples_cut;
    if (shards > described_number(description, "tuples")) ++counts.slices_cut;
    if (shards > 1 && status == GARNER_OUT_OF_BOUNDS) ++counts.failures;
    if (shards > 1 && host_.ran() == 0) ++counts.left_to_caller;
    if (shards > 1 && description.at("kernel").find("_nt_") != std::string::npos) ++counts.streamed;
  }

  Setting setting_;
  HostExecutor& host_;
  ContextHandle context_;
  const Problem* problem_ = nullptr;
  PlanHandle plan_;
};

std::vector<std::unique_ptr<ShardedRuns>> all_runs(HostExecutor& host) {
  std::vector<std::unique_ptr<ShardedRuns>> runs;
  for (const Setting& setting : settings()) runs.push_back(std::make_unique<ShardedRuns>(setting, host));
  return runs;
}

}  // namespace

TEST_CASE("shards at every boundary, through every kind of host") {
  const uint64_t first_seed = test_seed();
  const int64_t problems = test_runs(default_problems);
  std::cout << "seed " << first_seed << ", " << problems << " problems" << std::endl;
  HostExecutor host(first_seed);
  const auto runs = all_runs(host);
  Counts counts;
  for (int64_t i = 0; i < problems; ++i) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    Random random(seed);
    const ShardProblem given = random_shard_problem(random, most_workers);
    INFO(given.text << "; GARNER_TEST_SEED=" << seed << " GARNER_TEST_RUNS=1");
    const Expected expected = reference(given.problem);
    for (const auto& run : runs) {
      if (!run->plan(given.problem)) continue;
      for (int32_t threads = 1; threads <= most_workers; ++threads) {
        const HostMode mode = host_modes[random.between(0, 4)];
        run->run(threads, mode, expected, static_cast<size_t>(random.between(0, 63)), counts);
      }
    }
  }
  std::cout << counts.executions << " executions, " << counts.sharded << " in shards, " << counts.tuples_cut
            << " cut between tuples, " << counts.slices_cut << " within slices, " << counts.streamed << " streamed, "
            << counts.failures << " with bad indices, " << counts.left_to_caller << " left to the caller" << std::endl;
  if (problems < default_problems) return;
  CHECK(counts.tuples_cut > counts.executions / 4);
  CHECK(counts.slices_cut > counts.executions / 20);
  CHECK(counts.failures > counts.executions / 20);
  CHECK(counts.left_to_caller > 0);
  const bool can_stream =
      std::ranges::any_of(copy_forms(), [](const CopyForm& form) { return form.copying == Copying::streamed; });
  CHECK((counts.streamed > 0) == can_stream);
}

TEST_CASE("shards of the problems that are hard to cut") {
  HostExecutor host(1);
  const auto runs = all_runs(host);
  Counts counts;
  for (const ShardProblem& given : hard_shard_problems()) {
    INFO(given.text);
    const Expected expected = reference(given.problem);
    int64_t taken = 0;
    for (const auto& run : runs) {
      if (!run->plan(given.problem)) continue;
      ++taken;
      for (int32_t threads = 1; threads <= most_workers; ++threads) {
        for (const HostMode mode : host_modes) {
          // Starting threads is what most of the time goes to.
          if (is_concurrent(mode) && threads != 2 && threads != 3 && threads != most_workers) continue;
          run->run(threads, mode, expected, 3, counts);
        }
      }
    }
    CHECK(taken >= 4);
  }
  CHECK(counts.sharded > counts.executions / 2);
  CHECK(counts.slices_cut > 0);
  CHECK(counts.failures > 0);
}
