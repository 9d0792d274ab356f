// SPDX-License-Identifier: Apache-2.0
// Environment variables: read once when a context is made, beaten by options, unknown values reported.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"
#include "tests/support/routes.h"

using namespace garner_test;

namespace {

// Sets a variable while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

struct Lines {
  std::vector<std::string> lines;
  static void write(void* ctx, const char* text) { static_cast<Lines*>(ctx)->lines.emplace_back(text); }
};

garner_context_options logging_options(Lines& lines) {
  garner_context_options options = context_options();
  options.log = &Lines::write;
  options.log_ctx = &lines;
  return options;
}

// Of a plan for `tuples` single elements.
Description description_in(garner_context* context, int32_t threads = 1, int64_t tuples = 2) {
  SimpleProblem p;
  p.index_shape[0] = p.output_shape[0] = tuples;
  const PlanHandle plan = p.plan(context);
  REQUIRE(plan);
  return describe(plan.get(), threads);
}

Description description_with(const garner_context_options& options, int32_t threads = 1, int64_t tuples = 2) {
  const ContextHandle context = make_context(options);
  return description_in(context.get(), threads, tuples);
}

}  // namespace

TEST_CASE("GARNER_PATH forces a path") {
  for (const char* path : {"copy", "scalar"}) {
    const Variable variable("GARNER_PATH", path);
    CHECK(description_with(context_options())["path"] == path);
  }
}

TEST_CASE("GARNER_JIT switches emitted code off") {
  const Variable variable("GARNER_JIT", "off");
  Description description = description_with(context_options());
  CHECK(description["path"] != "jit");
  CHECK_FALSE(description["not_jit"].empty());
}

TEST_CASE("GARNER_MAX_ISA caps the instruction set") {
  const Variable variable("GARNER_MAX_ISA", "scalar");
  Description description = description_with(context_options());
  CHECK(description["isa"] == "scalar");
  CHECK(description["path"] != "jit");
}

TEST_CASE("GARNER_GATHER forces a body") {
  for (const Route& route : routes()) {
    if (route.path != GARNER_PATH_JIT || route.body == GARNER_BODY_TABLE) continue;
    const Variable variable("GARNER_GATHER", route.body == GARNER_BODY_LOADS ? "loads" : "hardware");
    garner_context_options options = context_options();
    options.path = GARNER_PATH_JIT;
    options.max_isa = route.isa;
    Description description = description_with(options);
    CHECK(description["body"] == (route.body == GARNER_BODY_LOADS ? "loads" : "hardware"));
  }
}

TEST_CASE("GARNER_NUM_THREADS and GARNER_MIN_SHARD bound the shards") {
  garner_context_options options = options_for({GARNER_PATH_SCALAR, 0, 0});
  {
    const Variable variable("GARNER_NUM_THREADS", "1");
    CHECK(described_number(description_with(options, 7), "shards") == 1);
  }
  options.min_shard_bytes = -1;
  CHECK(described_number(description_with(options, 7), "shards") == 1);  // two tuples are small work
  {
    const Variable variable("GARNER_MIN_SHARD", "0");
    CHECK(described_number(description_with(options, 7), "shards") > 1);
  }
  {
    const Variable variable("GARNER_DISABLE", "table,threads");
    options.min_shard_bytes = 0;
    CHECK(described_number(description_with(options, 7), "shards") == 1);
  }
}

TEST_CASE("an option wins over a variable") {
  const Variable path("GARNER_PATH", "copy"), shard("GARNER_MIN_SHARD", "1000000000"),
      threads("GARNER_NUM_THREADS", "1");
  garner_context_options options = options_for({GARNER_PATH_SCALAR, 0, 0});
  options.threads = 5;
  Description description = description_with(options, 7, 1000);
  CHECK(description["path"] == "scalar");
  CHECK(described_number(description, "threads") == 5);
  CHECK(described_number(description, "shards") > 1);
}

TEST_CASE("the environment is read once per context") {
  ContextHandle context;
  {
    const Variable variable("GARNER_PATH", "scalar");
    context = make_context(context_options());
  }
  CHECK(description_in(context.get())["path"] == "scalar");
  const Variable variable("GARNER_PATH", "copy");
  CHECK(description_in(context.get())["path"] == "scalar");
}

TEST_CASE("unknown values are reported through the log and ignored") {
  const std::pair<const char*, const char*> bad[] = {
      {"GARNER_PATH", "fastest"},      {"GARNER_JIT", "on please"},
      {"GARNER_MAX_ISA", "sse2"},      {"GARNER_GATHER", "magic"},
      {"GARNER_DISABLE", "table,tea"}, {"GARNER_NUM_THREADS", "-3"},
      {"GARNER_LLC_BYTES", "big"},     {"GARNER_MIN_SHARD", "99999999999999999999999"}};
  const std::string usual = description_with(context_options())["path"];
  for (const auto& [name, value] : bad) {
    CAPTURE(name, value);
    const Variable variable(name, value);
    Lines log;
    const ContextHandle context = make_context(logging_options(log));
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0].find(name) != std::string::npos);
    CHECK(log.lines[0].find(value) != std::string::npos);
    CHECK(description_in(context.get())["path"] == usual);
    CHECK(description_with(context_options())["path"] == usual);  // and nobody needs to listen
  }
}

TEST_CASE("known values are not reported") {
  const Variable a("GARNER_PATH", "copy"), b("GARNER_JIT", "auto"), c("GARNER_MAX_ISA", "avx512"),
      d("GARNER_GATHER", "loads"), e("GARNER_DISABLE", "table,hardware,rows,runs,prefetch,nt,folding,threads,slices"),
      f("GARNER_NUM_THREADS", "3"), g("GARNER_LLC_BYTES", "33554432"), h("GARNER_MIN_SHARD", "0");
  Lines log;
  const ContextHandle context = make_context(logging_options(log));
  CHECK(log.lines.empty());
}

TEST_CASE("GARNER_VERBOSE without a log callback does nothing") {
  const Variable variable("GARNER_VERBOSE", "2");
  CHECK(description_with(context_options()).count("path") == 1);
  Lines log;
  const ContextHandle context = make_context(logging_options(log));
  SimpleProblem p;
  CHECK(p.execute(context.get()) == GARNER_OK);
  CHECK_FALSE(log.lines.empty());
}
