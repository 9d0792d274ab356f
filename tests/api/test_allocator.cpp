// SPDX-License-Identifier: Apache-2.0
// The host's allocator: every allocation fails in turn; a call then returns OUT_OF_MEMORY or does without, and leaks nothing.
#include <cstdlib>
#include <map>
#include <mutex>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace garner_test;

namespace {

// Fails the allocation number `failing` (from 0) and checks that every release matches its allocation.
class CountingAllocator {
 public:
  explicit CountingAllocator(int64_t failing) : failing_(failing) {}
  garner_allocator descriptor() { return {this, &CountingAllocator::allocate, &CountingAllocator::release}; }
  int64_t calls() const { return calls_; }
  bool failed() const { return failing_ >= 0 && calls_ > failing_; }
  size_t live() const { return live_.size(); }
  int64_t mismatches() const { return mismatches_; }

 private:
  struct Block {
    size_t bytes, alignment;
  };
  static void* allocate(void* ctx, size_t bytes, size_t alignment) {
    auto* self = static_cast<CountingAllocator*>(ctx);
    const std::lock_guard<std::mutex> lock(self->mutex_);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 64 || bytes == 0) ++self->mismatches_;
    if (self->calls_++ == self->failing_) return nullptr;
    void* const pointer = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    self->live_[pointer] = {bytes, alignment};
    return pointer;
  }
  static void release(void* ctx, void* pointer, size_t bytes, size_t alignment) {
    auto* self = static_cast<CountingAllocator*>(ctx);
    const std::lock_guard<std::mutex> lock(self->mutex_);
    const auto found = self->live_.find(pointer);
    if (found == self->live_.end() || found->second.bytes != bytes || found->second.alignment != alignment) {
      ++self->mismatches_;
      return;
    }
    self->live_.erase(found);
    std::free(pointer);
  }

  int64_t failing_;
  int64_t calls_ = 0;
  int64_t mismatches_ = 0;
  std::map<void*, Block> live_;
  std::mutex mutex_;
};

bool acceptable(garner_status status, const CountingAllocator& allocator) {
  return status == GARNER_OK || (status == GARNER_OUT_OF_MEMORY && allocator.failed());
}

// Whether the route takes the problem at all.
bool applies(const Route& route) {
  SimpleProblem p;
  return p.plan_status(context_for(route)) == GARNER_OK;
}

// A context's whole life with one failing allocation. Returns whether an allocation failed.
bool live_through(const Route& route, int64_t failing) {
  CountingAllocator allocator(failing);
  const garner_allocator hooks = allocator.descriptor();
  garner_context_options options = options_for(route);
  options.allocator = &hooks;
  garner_context* created = nullptr;
  garner_error error = no_error();
  const garner_status made = garner_context_create(&options, &created, &error);
  CHECK(acceptable(made, allocator));
  CHECK((created != nullptr) == (made == GARNER_OK));
  ContextHandle context(created);
  if (context) {
    SimpleProblem p;
    CHECK(acceptable(garner_context_prepare(context.get(), &p.op, GARNER_FLOAT32, 0, GARNER_INT64, 2, nullptr),
                     allocator));
    const PlanHandle plan = p.plan(context.get());
    CHECK(acceptable(p.error.status, allocator));
    CHECK((plan != nullptr) == (p.error.status == GARNER_OK));
    if (p.error.status == GARNER_OUT_OF_MEMORY) CHECK(p.error.text[0] != '\0');
    if (plan) {
      p.args.max_threads = 3;
      const int64_t before = allocator.calls();
      CHECK(garner_plan_execute(plan.get(), &p.args, nullptr) == GARNER_OK);
      CHECK(allocator.calls() == before);  // executing allocates nothing
      CHECK(p.right());
    }
    SimpleProblem again;
    CHECK(acceptable(again.execute(context.get()), allocator));
    if (again.error.status == GARNER_OK) CHECK(again.right());
    context.reset();  // before the plan, which keeps what it needs
  }
  return allocator.failed();
}

}  // namespace

TEST_CASE("every allocation fails in turn on every route") {
  for (const Route& route : routes()) {
    if (!applies(route)) continue;
    CAPTURE(name(route));
    int failures = 0;
    for (int64_t failing = 0; failing < 1000; ++failing) {
      CAPTURE(failing);
      if (!live_through(route, failing)) break;
      ++failures;
    }
    CHECK(failures >= 2);  // a context and a plan at least
    CHECK(failures < 1000);
  }
}

TEST_CASE("all memory comes from the hooks and goes back to them") {
  CountingAllocator allocator(-1);
  const garner_allocator hooks = allocator.descriptor();
  garner_context_options options = context_options();
  options.allocator = &hooks;
  {
    ContextHandle context = make_context(options);
    const int64_t after_context = allocator.calls();
    CHECK(after_context > 0);
    SimpleProblem p;
    PlanHandle plan = p.plan(context.get());
    REQUIRE(plan);
    CHECK(allocator.calls() > after_context);
    context.reset();
    CHECK(allocator.live() > 0);
  }
  CHECK(allocator.live() == 0);
  CHECK(allocator.mismatches() == 0);
}

TEST_CASE("memory of failed creations goes back as well") {
  for (const Route& route : routes()) {
    for (int64_t failing = 0; failing < 50; ++failing) {
      CountingAllocator allocator(failing);
      const garner_allocator hooks = allocator.descriptor();
      {
        garner_context_options options = options_for(route);
        options.allocator = &hooks;
        garner_context* created = nullptr;
        garner_context_create(&options, &created, nullptr);
        const ContextHandle context(created);
        if (context) {
          SimpleProblem p;
          const PlanHandle plan = p.plan(context.get());
          p.execute(context.get());
        }
      }
      CAPTURE(name(route), failing);
      CHECK(allocator.live() == 0);
      CHECK(allocator.mismatches() == 0);
      if (!allocator.failed()) break;
    }
  }
}

TEST_CASE("planning again with a warm kernel needs one allocation at most and the one-call form none") {
  CountingAllocator allocator(-1);
  const garner_allocator hooks = allocator.descriptor();
  garner_context_options options = context_options();
  options.allocator = &hooks;
  const ContextHandle context = make_context(options);
  SimpleProblem p;
  CHECK(p.execute(context.get()) == GARNER_OK);
  const int64_t before = allocator.calls();
  CHECK(p.execute(context.get()) == GARNER_OK);
  CHECK(allocator.calls() == before);
  const PlanHandle plan = p.plan(context.get());
  CHECK(allocator.calls() <= before + 1);
}
