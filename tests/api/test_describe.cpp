// SPDX-License-Identifier: Apache-2.0
// The text of a plan: stable keys, truth about the route, any capacity.
#include <algorithm>
#include <sstream>
#include <string>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace garner_test;

namespace {

Description description_of(const Route& route, const garner_op& op, const Tensor& data, const Tensor& index,
                           int32_t threads = 1) {
  const garner_tensor data_tensor = data.descriptor(), index_tensor = index.descriptor();
  garner_plan* created = nullptr;
  const garner_status status =
      garner_plan_create(context_for(route), &op, &data_tensor, &index_tensor, nullptr, &created, nullptr);
  const PlanHandle plan(created);
  if (status != GARNER_OK) return {};
  return describe(plan.get(), threads);
}

Tensor shaped(garner_dtype dtype, Shape shape) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return tensor;
}

const Route automatic{GARNER_PATH_AUTO, 0, 0};

}  // namespace

TEST_CASE("every line is key=value and the keys of all plans are there") {
  SimpleProblem p;
  const PlanHandle plan = p.plan();
  REQUIRE(plan);
  std::istringstream lines(describe_text(plan.get(), 1));
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.find('=') != std::string::npos);
    CHECK(line.find('=') != 0);
  }
  const Description description = describe(plan.get(), 1);
  for (const char* key :
       {"problem", "path", "kernel", "isa", "reason", "shards", "threads", "output_shape", "tuples", "slice_bytes",
        "slice_runs", "run_bytes", "data_bytes", "index_bytes", "output_bytes", "dims", "coords", "slice"}) {
    INFO(key);
    CHECK(description.count(key) == 1);
  }
  CHECK(description.at("problem") == "gathernd:f32:3x4:i64:2x2");
  CHECK(description.at("output_shape") == "2");
  CHECK(described_number(description, "tuples") == 2);
  CHECK(described_number(description, "slice_bytes") == 4);
  CHECK(described_number(description, "data_bytes") == 48);
  CHECK(described_number(description, "index_bytes") == 32);
  CHECK(described_number(description, "output_bytes") == 8);
  CHECK(described_number(description, "shards") == 1);
  CHECK(described_number(description, "threads") == 1);
}

TEST_CASE("a reason is given for each path that was not taken") {
  const Description elements =
      description_of(automatic, gather_nd(), shaped(GARNER_FLOAT32, {64, 64}), shaped(GARNER_INT64, {1000, 2}));
  const Description rows = description_of(automatic, gather_nd(), shaped(GARNER_FLOAT32, {1000, 256, 10, 15}),
                                          shaped(GARNER_INT64, {25, 125, 3}));
  for (const Description& description : {elements, rows}) {
    REQUIRE(description.count("path") == 1);
    for (const char* path : {"jit", "copy", "scalar"}) {
      const std::string key = std::string("not_") + path;
      INFO(key);
      CHECK(description.count(key) == (description.at("path") == path ? 0u : 1u));
      if (description.count(key) == 1) CHECK_FALSE(description.at(key).empty());
    }
  }
  CHECK(rows.at("path") == "copy");
  CHECK(rows.at("output_shape") == "25x125x15");
  CHECK(description_of(automatic, gather_nd(), shaped(GARNER_FLOAT32, {4}), shaped(GARNER_INT64, {1}))
            .at("output_shape") == "scalar");
}

TEST_CASE("the planner takes the path that the slice decides") {
  const bool jit = [] {
    for (const Route& route : routes()) {
      if (route.path == GARNER_PATH_JIT) return true;
    }
    return false;
  }();
  if (!jit) GARNER_TEST_SKIP("no route of the jit path can run here: " << absent_routes());
  const auto path = [](const garner_op& op, garner_dtype dtype, Shape data, Shape index) {
    return description_of(automatic, op, shaped(dtype, std::move(data)),
                          shaped(GARNER_INT64, std::move(index)))["path"];
  };
  CHECK(path(gather_nd(), GARNER_FLOAT32, {64, 64}, {1000, 2}) == "jit");
  CHECK(path(gather_nd(), GARNER_UINT8, {64}, {1000, 1}) == "jit");
  CHECK(path(gather_nd(), GARNER_COMPLEX128, {64}, {1000, 1}) == "jit");
  CHECK(path(gather_elements(0), GARNER_FLOAT16, {64, 8}, {32, 8}) == "jit");
  CHECK(path(gather_nd(), GARNER_FLOAT32, {64, 2}, {1000, 1}) == "jit");  // a row as wide as an element
  CHECK(path(gather_nd(), GARNER_FLOAT32, {64, 3}, {1000, 1}) == "copy");
  CHECK(path(gather_nd(), GARNER_FLOAT32, {64, 256}, {1000, 1}) == "copy");
}

TEST_CASE("stores and prefetching of copies are told") {
  const Shape table = {1 << 20, 256};
  const Description large =
      description_of(automatic, gather_nd(), shaped(GARNER_FLOAT32, table), shaped(GARNER_INT64, {1 << 20, 1}));
  CHECK(described_number(large, "prefetch") > 0);
  CHECK(large.at("stores") == (large.at("isa") == "scalar" ? "ordinary" : "non-temporal"));
  const Description small =
      description_of(automatic, gather_nd(), shaped(GARNER_FLOAT32, table), shaped(GARNER_INT64, {100, 1}));
  CHECK(small.at("stores") == "ordinary");
  const Description elements =
      description_of(automatic, gather_nd(), shaped(GARNER_FLOAT32, {64}), shaped(GARNER_INT64, {100, 1}));
  CHECK(elements.count("stores") == (elements.at("path") == "copy" ? 1u : 0u));  // no JIT: elements are copied as well
}

TEST_CASE("forced routes are what they say") {
  for (const Route& route : routes()) {
    if (route.path == GARNER_PATH_AUTO) continue;
    Description description =
        description_of(route, gather_nd(), shaped(GARNER_FLOAT32, {8}), shaped(GARNER_INT64, {1000, 1}));
    INFO("route " << name(route));
    CHECK(deviation(route, description).empty());  // 8 floats fit every body
    if (route.path == GARNER_PATH_JIT) {
      const std::string kernel = description["kernel"];
      INFO(kernel);
      CHECK(kernel.rfind("gather_x32_" + description["body"], 0) == 0);
      CHECK(kernel.find("_i64_k1_wrap_error") != std::string::npos);
      CHECK(kernel.find("__" + description["isa"]) != std::string::npos);
    }
    if (route.path == GARNER_PATH_SCALAR) CHECK(description["kernel"] == "scalar");
    if (route.path == GARNER_PATH_COPY) CHECK(description["kernel"].rfind("copy_", 0) == 0);
  }
}

TEST_CASE("a forced path that cannot is refused with its reason") {
  for (const Route& route : routes()) {
    if (route.path != GARNER_PATH_JIT) continue;
    const Tensor data = shaped(GARNER_FLOAT32, {64, 3}), index = shaped(GARNER_INT64, {10, 1});
    const garner_tensor data_tensor = data.descriptor(), index_tensor = index.descriptor();
    const garner_op op = gather_nd();
    garner_plan* plan = nullptr;
    garner_error error = no_error();
    CHECK(garner_plan_create(context_for(route), &op, &data_tensor, &index_tensor, nullptr, &plan, &error) ==
          GARNER_UNSUPPORTED);
    CHECK(plan == nullptr);
    INFO(error.text);
    CHECK(std::string(error.text).find("jit") != std::string::npos);
  }
}

TEST_CASE("shards and threads follow the limits") {
  const Tensor data = shaped(GARNER_FLOAT32, {64}), index = shaped(GARNER_INT64, {100000, 1});
  for (const Route& route : routes()) {
    for (int32_t threads : {1, 2, 3, 7, 100}) {
      const Description description = description_of(route, gather_nd(), data, index, threads);
      if (description.empty()) continue;
      CAPTURE(name(route), threads);
      CHECK(described_number(description, "threads") == std::min(threads, most_threads));
      if (threads == 1) {
        CHECK(described_number(description, "shards") == 1);
      } else {
        CHECK(described_number(description, "shards") > 1);
      }
    }
  }
}

TEST_CASE("small work stays on one thread by default") {
  const ContextHandle context = make_context(context_options());
  SimpleProblem p;
  const PlanHandle plan = p.plan(context.get());
  CHECK(described_number(describe(plan.get(), 8), "shards") == 1);
}

TEST_CASE("text is cut to any capacity and always terminated") {
  SimpleProblem p;
  const PlanHandle plan = p.plan();
  const std::string whole = describe_text(plan.get(), 1);
  size_t needed = 0;
  CHECK(garner_plan_describe(plan.get(), 1, nullptr, 0, &needed) == GARNER_OK);
  CHECK(needed == whole.size() + 1);
  for (size_t capacity : {size_t{1}, size_t{2}, size_t{17}, whole.size(), whole.size() + 1, whole.size() + 50}) {
    std::string text(whole.size() + 100, '#');
    needed = 0;
    CHECK(garner_plan_describe(plan.get(), 1, text.data(), capacity, &needed) == GARNER_OK);
    CHECK(needed == whole.size() + 1);
    const size_t length = std::min(capacity - 1, whole.size());
    CAPTURE(capacity);
    CHECK(std::string(text.data()) == whole.substr(0, length));
    CHECK(text.find_first_not_of('#', capacity) == std::string::npos);
  }
  std::string text(10, '#');
  CHECK(garner_plan_describe(plan.get(), 1, text.data(), 0, nullptr) == GARNER_OK);
  CHECK(text == std::string(10, '#'));
}
