// SPDX-License-Identifier: Apache-2.0
// The vectors of this folder on every path, body and ISA, at 1, 2 and 7 threads.
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "tests/support/cases.h"
#include "tests/support/catch.h"
#include "tests/support/owning_strings.h"

using namespace garner_test;
using nlohmann::json;

namespace {

std::string file(const char* name) { return std::string(GARNER_TEST_SOURCE_DIR) + "/" + name; }

std::string shape_text(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

// The same case with tensors of std::string.
void expect_owning(const Problem& problem, const std::vector<std::string>& data, const Expected& expected) {
  for (const Route& route : {Route{GARNER_PATH_AUTO, 0, 0}, Route{GARNER_PATH_SCALAR, 0, 0}}) {
    for (int32_t threads : {1, most_threads}) {
      INFO("owning strings, route " << name(route) << ", threads " << threads);
      StringCopier copier;
      const OwningRun run = run_owning(route, problem.op, problem.data.shape, data, problem.indices, threads, copier);
      INFO(run.error.text);
      CHECK(run.status == expected.status);
      if (expected.status == GARNER_OK) {
        CHECK(run.shape == expected.shape);
        CHECK(run.output == *expected.strings);
        CHECK(copier.calls == static_cast<int64_t>(expected.strings->size()));
      }
      if (expected.status == GARNER_OUT_OF_BOUNDS) CHECK(run.error.position == expected.position);
    }
  }
}

void expect_shape(const json& line, const json& expect) {
  const garner_op op = op_of(line);
  Tensor data, indices;
  data.dtype = GARNER_FLOAT32;
  indices.dtype = GARNER_INT64;
  if (line.contains("data_dtype")) data.dtype = line["data_dtype"] == "float32" ? GARNER_FLOAT32 : 0;
  if (line.contains("indices_dtype")) indices.dtype = line["indices_dtype"] == "float32" ? GARNER_FLOAT32 : 0;
  REQUIRE(data.dtype != 0);
  REQUIRE(indices.dtype != 0);
  data.shape = shape_of(line.at("data_shape"));
  indices.shape = shape_of(line.at("indices_shape"));
  const garner_tensor data_tensor = data.descriptor();
  const garner_tensor index_tensor = indices.descriptor();

  Shape shape(GARNER_MAX_RANK, -1);
  int32_t rank = -1;
  garner_error error = no_error();
  const garner_status status =
      garner_infer_shape(&op, &data_tensor, &index_tensor, shape.data(), GARNER_MAX_RANK, &rank, &error);
  INFO(error.text);
  garner_plan* created = nullptr;
  const garner_status planned =
      garner_plan_create(nullptr, &op, &data_tensor, &index_tensor, nullptr, &created, nullptr);
  const PlanHandle plan(created);
  CHECK(planned == status);
  if (expect.contains("expect_shape")) {
    REQUIRE(status == GARNER_OK);
    shape.resize(static_cast<size_t>(rank));
    const Shape wanted = shape_of(expect.at("expect_shape"));
    CHECK(shape == wanted);
    REQUIRE(plan);
    CHECK(describe(plan.get(), 1)["output_shape"] == shape_text(wanted));
    return;
  }
  std::set<garner_status> right = {status_of_kind(expect.at("error"))};
  if (expect.contains("also")) {
    for (const json& kind : expect.at("also")) right.insert(status_of_kind(kind));
  }
  CHECK(right.count(status) == 1);
  CHECK_FALSE(plan);
  CHECK(std::string(error.text) != "");
}

Tally expect_values(const json& line, const json& expect) {
  Problem problem;
  std::vector<std::string> strings, no_strings;
  problem.op = op_of(line);
  problem.data = tensor_of(line.at("data"), strings);
  problem.indices = tensor_of(line.at("indices"), no_strings);
  const Expected expected = expected_of(expect, problem.data.dtype, positions_of(problem.op, problem.indices.shape));
  if (problem.data.dtype == GARNER_STRING) expect_owning(problem, strings, expected);
  return expect_everywhere(problem, expected);
}

void report(const char* name, int cases, const Tally& tally) {
  std::cout << name << ": " << cases << " cases, " << to_text(tally) << std::endl;
  CHECK(tally.sharded > 0);
  // Every route that this machine has must have run at least once.
  for (const Route& route : routes()) {
    INFO("route " << garner_test::name(route));
    CHECK(tally.per_route.count(garner_test::name(route)) == 1);
  }
}

void run_file(const char* name, int at_least) {
  int cases = 0;
  Tally tally;
  for_each_line(file(name), [&](const json& line) {
    INFO(line.at("id").get<std::string>());
    tally += expect_values(line, line.at("expect"));
    ++cases;
  });
  CHECK(cases >= at_least);
  report(name, cases, tally);
}

}  // namespace

TEST_CASE("mined vectors on every route") { run_file("mined.jsonl", 508); }

TEST_CASE("generated vectors on every route") { run_file("generated.jsonl", 1331); }

TEST_CASE("shape vectors") {
  int cases = 0;
  for_each_line(file("shapes.jsonl"), [&](const json& line) {
    INFO(line.at("id").get<std::string>());
    expect_shape(line, line);
    ++cases;
  });
  std::cout << "shapes.jsonl: " << cases << " cases" << std::endl;
  CHECK(cases >= 225);
}

TEST_CASE("quirks of other implementations follow the operator texts") {
  struct Decision {
    json expect;
    bool used = false;
  };
  std::map<std::string, Decision> decisions;
  for_each_line(file("decisions.jsonl"), [&](const json& line) { decisions[line.at("id")] = {line.at("expect")}; });

  int cases = 0, decided = 0;
  Tally tally;
  for_each_line(file("quirks.jsonl"), [&](const json& line) {
    const std::string id = line.at("id");
    INFO(id);
    json expect = line.at("spec_expect");
    if (const auto found = decisions.find(id); found != decisions.end()) {
      expect = found->second.expect;
      found->second.used = true;
      ++decided;
    }
    REQUIRE_FALSE(expect.contains("undefined"));
    if (line.contains("data")) {
      tally += expect_values(line, expect);
    } else {
      expect_shape(line, expect);
    }
    ++cases;
  });
  for (const auto& [id, decision] : decisions) {
    INFO("decision about " << id);
    CHECK(decision.used);
  }
  std::cout << "quirks.jsonl: " << cases << " cases, " << decided << " by decisions.jsonl, " << to_text(tally)
            << std::endl;
  CHECK(cases >= 50);
  CHECK(tally.runs > 0);
}
