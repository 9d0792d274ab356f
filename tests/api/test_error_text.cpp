// SPDX-License-Identifier: Apache-2.0
// Text for people: what is wrong, where, what would be right.
#include <string>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace garner_test;

namespace {

void expect_words(const char* text, std::initializer_list<const char*> words) {
  INFO(text);
  for (const char* word : words) {
    INFO("must contain: " << word);
    CHECK(std::string(text).find(word) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("index errors name place and value and axis and what is allowed") {
  std::vector<int64_t> values(4 * 2 * 2, 0);
  values[(3 * 2 + 0) * 2 + 1] = 17;
  const Problem problem{gather_nd(), arange<float>({4, 15}), indices({4, 2, 2}, values)};
  for (const Route& route : routes()) {
    const Outcome outcome = run(route, problem, most_threads);
    if (!outcome.applied) continue;
    REQUIRE(outcome.status == GARNER_OUT_OF_BOUNDS);
    CHECK(std::string(outcome.error.text) ==
          "indices[3,0,1] = 17 is out of bounds for axis 1 of data, extent 15 (allowed -15..14)");
  }
}

TEST_CASE("what is allowed depends on the policy and the type") {
  const Outcome rejected =
      run({GARNER_PATH_AUTO, 0, 0},
          {gather_nd(0, GARNER_GATHER_ND_OPENVINO_5), arange<float>({15}), indices({1, 1}, {-1})}, 1);
  expect_words(rejected.error.text, {"indices[0,0] = -1", "axis 0", "extent 15", "allowed 0..14"});
  const Outcome elements =
      run({GARNER_PATH_AUTO, 0, 0}, {gather_elements(1), arange<float>({2, 3}), indices({2, 2}, {0, 1, 2, -4})}, 1);
  expect_words(elements.error.text, {"indices[1,1] = -4", "axis 1", "extent 3", "allowed -3..2"});
}

TEST_CASE("refusals say which argument and what it was") {
  SimpleProblem p;
  p.op = gather_elements(5);
  CHECK(p.plan_status() != GARNER_OK);
  expect_words(p.error.text, {"axis", "5", "-2", "1"});
  SimpleProblem batch;
  batch.op.batch_dims = 7;
  CHECK(batch.plan_status() != GARNER_OK);
  expect_words(batch.error.text, {"batch_dims", "7"});
  SimpleProblem deep;
  deep.index_shape[1] = 3;
  CHECK(deep.plan_status() != GARNER_OK);
  expect_words(deep.error.text, {"indices", "3", "2"});
  SimpleProblem small;
  small.args.data_bytes = 47;
  CHECK(small.execute() != GARNER_OK);
  expect_words(small.error.text, {"data", "47", "48"});
  SimpleProblem packed;
  packed.data.dtype = 22;
  CHECK(packed.plan_status() != GARNER_OK);
  expect_words(packed.error.text, {"data", "int4"});
  SimpleProblem shape;
  shape.output_shape[0] = 9;
  CHECK(shape.plan_status() != GARNER_OK);
  expect_words(shape.error.text, {"output", "9", "2"});
  SimpleProblem unequal;
  unequal.op.batch_dims = 1;
  unequal.index_shape[1] = 1;
  CHECK(unequal.plan_status() != GARNER_OK);
  expect_words(unequal.error.text, {"3", "2"});
}
