// SPDX-License-Identifier: Apache-2.0
// What small calls must not do, counted: execution allocates nothing, locks nothing and looks at no clock; with a warm code cache
// a plan is one allocation, and the one-call form none.
#include <algorithm>
#include <cstdlib>

#include "tests/copy/counted_calls.h"
#include "tests/copy/prepared_calls.h"
#include "tests/support/catch.h"

using namespace garner_test;

namespace {

class CountingAllocator {
 public:
  garner_allocator descriptor() {
    return {this,
            [](void* ctx, size_t bytes, size_t) {
              ++static_cast<CountingAllocator*>(ctx)->calls_;
              return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
            },
            [](void*, void* pointer, size_t, size_t) { std::free(pointer); }};
  }
  int64_t calls() const { return calls_; }

 private:
  int64_t calls_ = 0;
};

struct Counted {
  CountingAllocator allocator;
  ContextHandle context;

  explicit Counted(const Setup& setup) {
    const garner_allocator hooks = allocator.descriptor();
    garner_context_options options = setup.options;
    options.allocator = &hooks;
    context = make_context(options);
  }
};

}  // namespace

TEST_CASE("the counts count") {
  struct Log {
    static void write(void*, const char*) {}
  };
  const CountedCalls at_first = counted_calls();
  garner_context_options options = context_options();
  options.log = &Log::write;
  options.verbose = 2;  // executions are timed
  const ContextHandle context = make_context(options);
  const CountedCalls with_context = counted_calls();
  CHECK(with_context.allocations > at_first.allocations);
  PreparedCalls calls(context.get());
  const CountedCalls planned = counted_calls();
#if GARNER_HAVE_JIT
  CHECK(planned.mappings > with_context.mappings);
  CHECK(planned.locks > with_context.locks);
#endif
  CHECK(calls.execute() == -1);
  CHECK(counted_calls().clocks > planned.clocks);
}

TEST_CASE("execution allocates nothing, locks nothing and looks at no clock") {
  for (const Setup& setup : setups()) {
    INFO(setup.name);
    Counted counted(setup);
    PreparedCalls calls(counted.context.get());
    CHECK(calls.size() > 0);
    const int64_t hooked = counted.allocator.calls();
    const CountedCalls before = counted_calls();
    const int64_t wrong = calls.execute();
    const CountedCalls after = counted_calls();
    CHECK(wrong == -1);
    CHECK(after.allocations == before.allocations);
    CHECK(after.mappings == before.mappings);
    CHECK(after.locks == before.locks);
    CHECK(after.clocks == before.clocks);
    CHECK(counted.allocator.calls() == hooked);
  }
}

TEST_CASE("with a warm code cache a plan is at most one allocation") {
  for (const Setup& setup : setups()) {
    INFO(setup.name);
    Counted counted(setup);
    PreparedCalls calls(counted.context.get());
    int64_t hooked = counted.allocator.calls();
    int64_t most_hooked = 0, most_in_all = 0;
    CountedCalls before = counted_calls();
    const int64_t mappings = before.mappings, clocks = before.clocks;
    const int64_t failed = calls.plan_again([&] {
      most_hooked = std::max(most_hooked, counted.allocator.calls() - hooked);
      most_in_all = std::max(most_in_all, counted_calls().allocations - before.allocations);
      hooked = counted.allocator.calls();
      before = counted_calls();
    });
    const CountedCalls after = counted_calls();
    CHECK(failed == -1);
    CHECK(most_hooked == 1);  // it has to be somewhere
    CHECK(most_in_all == 1);  // and nothing goes past the host's allocator
    CHECK(after.mappings == mappings);
    CHECK(after.clocks == clocks);
  }
}

TEST_CASE("with a warm code cache the one-call form allocates nothing") {
  for (const Setup& setup : setups()) {
    INFO(setup.name);
    Counted counted(setup);
    PreparedCalls calls(counted.context.get());
    const int64_t hooked = counted.allocator.calls();
    const CountedCalls before = counted_calls();
    const int64_t wrong = calls.execute_in_one_call();
    const CountedCalls after = counted_calls();
    CHECK(wrong == -1);
    CHECK(after.allocations == before.allocations);
    CHECK(after.mappings == before.mappings);
    CHECK(after.clocks == before.clocks);
    CHECK(counted.allocator.calls() == hooked);
  }
}
