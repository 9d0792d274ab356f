// SPDX-License-Identifier: Apache-2.0
// The lowest failing position is the answer, however many threads there are and whichever meets a bad index first.
#include <algorithm>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

std::vector<int64_t> with_bad(int64_t count, std::initializer_list<int64_t> places, int64_t bad) {
  std::vector<int64_t> values(static_cast<size_t>(count), 1);
  for (int64_t place : places) values[static_cast<size_t>(place)] = bad + place;
  return values;
}

}  // namespace

TEST_CASE("several bad indices in different shards") {
  for (const std::initializer_list<int64_t>& places : {std::initializer_list<int64_t>{999},
                                                       {0, 999},
                                                       {500, 501, 998},
                                                       {143, 142, 700},
                                                       {256, 255, 512, 768},
                                                       {1, 300, 600, 900}}) {
    const int64_t lowest = std::min(places);
    const Tensor index = indices({1000, 1}, with_bad(1000, places, 5000));
    CAPTURE(lowest);
    Tally tally;
    tally +=
        expect_everywhere({gather_nd(), arange<float>({100}), index}, out_of_bounds(lowest, 0, 0, 5000 + lowest, 100));
    tally += expect_everywhere({gather_nd(), arange<float>({100, 7}), index},
                               out_of_bounds(lowest, 0, 0, 5000 + lowest, 100));
    CHECK(tally.sharded > 0);
  }
}

TEST_CASE("every position once as the lowest of two") {
  for (int64_t at = 0; at < 40; ++at) {
    std::vector<int64_t> values(41, 2);
    values[static_cast<size_t>(at)] = -9;
    values[40] = 9;
    CAPTURE(at);
    expect_everywhere({gather_elements(0), arange<float>({3, 41}), indices({1, 41}, values)},
                      out_of_bounds(at, 0, 0, -9, 3));
  }
}

TEST_CASE("the lowest bad coordinate of the lowest bad tuple") {
  std::vector<int64_t> values(3 * 300, 0);
  values[3 * 250 + 0] = 77;
  values[3 * 120 + 2] = 78;
  values[3 * 120 + 1] = -79;
  expect_everywhere({gather_nd(), arange<float>({4, 5, 6}), indices({300, 3}, values)},
                    out_of_bounds(120, 1, 1, -79, 5));
}

TEST_CASE("a slice that is split reports a bad index once and right") {
  const Problem problem{gather_nd(), patterned(GARNER_FLOAT32, 0, {3, 50000}), indices({2, 1}, {1, 3})};
  const Tally tally = expect_everywhere(problem, out_of_bounds(1, 0, 0, 3, 3));
  CHECK(tally.sharded > 0);
}

TEST_CASE("the same failure a hundred times over") {
  std::vector<int64_t> values(5000, 3);
  for (size_t i = 1234; i < values.size(); i += 7) values[i] = 400;
  const Problem problem{gather_nd(), arange<float>({100}), indices({5000, 1}, values)};
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    for (int repeat = 0; repeat < 100; ++repeat) {
      const Outcome outcome = run(route, problem, most_threads);
      if (!outcome.applied) break;
      REQUIRE(outcome.status == GARNER_OUT_OF_BOUNDS);
      REQUIRE(outcome.error.position == 1234);
    }
  }
}
