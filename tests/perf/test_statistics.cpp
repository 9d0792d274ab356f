// SPDX-License-Identifier: Apache-2.0
#include "perf/statistics.h"

#include <numeric>

#include "tests/support/catch.h"

namespace garner::perf {
namespace {

std::vector<double> up_to(int n) {
  std::vector<double> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST_CASE("A median lies in the middle, between two where there is no middle") {
  CHECK(median({}) == 0);
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 5}) == 5);
  CHECK(median({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("A summary holds minimum, median and the median distance from it") {
  const Summary summary = summarize({7, 1, 2, 3, 100}, true);
  CHECK(summary.min == 1);
  CHECK(summary.p50 == 3);
  CHECK(summary.mad == 2);  // of 4, 2, 1, 0, 97
}

TEST_CASE("Percentiles are given only where five samples lie beyond them") {
  CHECK_FALSE(summarize(up_to(49), true).p90);
  CHECK(summarize(up_to(50), true).p90);
  CHECK_FALSE(summarize(up_to(499), true).p99);
  CHECK(summarize(up_to(500), true).p99);
  CHECK(*summarize(up_to(501), true).p99 == 496);
}

TEST_CASE("Means of many calls carry no percentiles") {
  const Summary summary = summarize(up_to(1000), false);
  CHECK(summary.p50 == 500.5);
  CHECK_FALSE(summary.p90);
  CHECK_FALSE(summary.p99);
}

TEST_CASE("The interval of a median leaves out what order statistics allow") {
  // Of n values the k lowest and highest may be left out while 2 P(Binomial(n, 1/2) <= k - 1) stays within 5 %.
  const Interval few = median_interval(up_to(5));
  CHECK(few.low == 1);
  CHECK(few.high == 5);
  const Interval seven = median_interval(up_to(7));
  CHECK(seven.low == 1);
  CHECK(seven.high == 7);
  const Interval twenty = median_interval(up_to(20));
  CHECK(twenty.median == 10.5);
  CHECK(twenty.low == 6);
  CHECK(twenty.high == 15);
  CHECK(twenty.rounds == 20);
  CHECK(median_interval({}).rounds == 0);
}

TEST_CASE("An interval is within a fraction when both ends are") {
  CHECK(Interval{100, 99.6, 100.4, 9}.within(0.005));
  CHECK_FALSE(Interval{100, 99.4, 100.4, 9}.within(0.005));
  CHECK_FALSE(Interval{100, 99.6, 100.6, 9}.within(0.005));
  CHECK_FALSE(Interval{}.within(0.5));
}

TEST_CASE("Cliff's delta counts how often one side is larger") {
  CHECK(cliffs_delta({1, 2, 3}, {4, 5, 6}) == 1);
  CHECK(cliffs_delta({4, 5, 6}, {1, 2, 3}) == -1);
  CHECK(cliffs_delta({1, 2, 3}, {1, 2, 3}) == 0);
  CHECK(cliffs_delta({5, 5}, {5, 5}) == 0);
  CHECK(cliffs_delta({1, 3}, {2, 4}) == 0.5);  // 2>1, 4>1, 4>3 against 2<3
  CHECK(cliffs_delta({}, {1}) == 0);
  CHECK(std::string(effect_word(0.1)) == "negligible");
  CHECK(std::string(effect_word(-0.2)) == "small");
  CHECK(std::string(effect_word(0.4)) == "medium");
  CHECK(std::string(effect_word(-1)) == "large");
}

}  // namespace
}  // namespace garner::perf
