// SPDX-License-Identifier: Apache-2.0
#include "perf/comparison.h"

#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

// The same result with times multiplied, garner's and those of the ceilings.
Record scaled(Record record, double garner, double machine) {
  record.p50_ns *= garner * machine;
  for (double* ns :
       {&record.ceiling->copy_ns, &record.ceiling->stream_ns, &*record.ceiling->touch_ns, &record.ceiling->ns})
    *ns *= machine;
  for (double& share : record.of_ceiling_rounds) share /= garner;
  return record;
}

RowComparison compare_one(const Record& before, const Record& after, double threshold = 0.1) {
  const std::vector<Record> a{before};
  const std::vector<Record> b{after};
  const Comparison comparison = compare(a, b, threshold);
  REQUIRE(comparison.rows.size() == 1);
  RowComparison row = comparison.rows[0];
  row.before = row.after = nullptr;  // they pointed into this function
  return row;
}

TEST_CASE("The same result twice is no change") {
  const RowComparison row = compare_one(sample_record(), sample_record());
  CHECK(row.normalised);
  CHECK(row.ratio == 1);
  CHECK(row.low < 1);
  CHECK(row.high > 1);
  CHECK(row.delta == 0);
  CHECK(row.change == Change::none);
}

TEST_CASE("A slower machine is no change, a slower garner is one") {
  const RowComparison machine = compare_one(sample_record(), scaled(sample_record(), 1, 1.5));
  CHECK(machine.change == Change::none);
  CHECK(machine.ceiling_ratio > 1.49);
  const RowComparison slower = compare_one(sample_record(), scaled(sample_record(), 1.2, 1.5));
  CHECK(slower.change == Change::slower);
  CHECK((slower.ratio > 1.19 && slower.ratio < 1.21));
  CHECK(slower.low > 1.1);
  CHECK(slower.delta == 1);
  const RowComparison faster = compare_one(sample_record(), scaled(sample_record(), 0.7, 1));
  CHECK(faster.change == Change::faster);
  CHECK(faster.delta == -1);
}

TEST_CASE("A change within the threshold, or within the interval, is none") {
  CHECK(compare_one(sample_record(), scaled(sample_record(), 1.08, 1)).change == Change::none);
  CHECK(compare_one(sample_record(), scaled(sample_record(), 1.08, 1), 0.05).change == Change::slower);
  Record noisy = scaled(sample_record(), 1.2, 1);
  noisy.of_ceiling_rounds = {0.3, 0.4, 0.5, 0.65, 0.7, 0.9, 1.0};
  CHECK(compare_one(sample_record(), noisy).change == Change::none);
}

TEST_CASE("Without a ceiling the times themselves are compared") {
  Record before = sample_record();
  before.ceiling.reset();
  Record after = before;
  after.p50_ns *= 1.3;
  const RowComparison row = compare_one(before, after);
  CHECK_FALSE(row.normalised);
  CHECK(row.change == Change::slower);
}

TEST_CASE("Rows meet by problem, threads, cache and pages") {
  std::vector<Record> before(4, sample_record());
  before[1].threads = 2;
  before[2].cache = "cold";
  before[3].pages = "thp";
  std::vector<Record> after{before[3], before[1], sample_record("gathernd:f32:9:i64:9x1")};
  const Comparison comparison = compare(before, after, 0.1);
  REQUIRE(comparison.rows.size() == 2);
  CHECK(comparison.rows[0].before == &before[3]);
  CHECK(comparison.rows[1].before == &before[1]);
  CHECK(comparison.only_before.size() == 2);
  REQUIRE(comparison.only_after.size() == 1);
  CHECK(holds(comparison.only_after[0], "f32:9:"));
}

TEST_CASE("Ceilings more than a tenth apart say that the machine changed") {
  const std::vector<Record> before{sample_record()};
  CHECK(compare(before, {scaled(sample_record(), 1, 1.09)}, 0.1).warnings.empty());
  for (const double machine : {1.12, 1 / 1.12}) {
    const Comparison comparison = compare(before, {scaled(sample_record(), 1, machine)}, 0.1);
    REQUIRE(comparison.warnings.size() == 1);
    CHECK(holds(comparison.warnings[0], "the machine changed"));
  }
}

TEST_CASE("Another CPU and wrong results are warned of") {
  Record other = sample_record();
  other.environment[0].second = "Other CPU";
  other.verified = false;
  const Comparison comparison = compare({sample_record()}, {other}, 0.1);
  REQUIRE(comparison.warnings.size() == 2);
  CHECK(comparison.warnings[0] == "cpu: Some CPU against Other CPU");
  CHECK(comparison.warnings[1] == "1 results of the second run were wrong");
}

TEST_CASE("Thresholds are percentages or fractions") {
  CHECK(parse_threshold("10%") == 0.1);
  CHECK(parse_threshold("2.5 %") == 0.025);
  CHECK(parse_threshold("0.1") == 0.1);
  CHECK(parse_threshold("0") == 0);
  for (const char* text : {"", "ten", "%", "10%%", "-1%", "1x", "nan", "1e9"})
    CHECK(holds(refusal([text] { parse_threshold(text); }), "is no threshold"));
}

}  // namespace
}  // namespace garner::perf
