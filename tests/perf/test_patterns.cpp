// SPDX-License-Identifier: Apache-2.0
#include "perf/patterns.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "perf/tensor.h"
#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

std::vector<int64_t> indices(const std::string& pattern, const std::string& shape = "gathernd:f32:100:i64:500x1") {
  return generate_indices(parse_problem(shape + ":pattern=" + pattern));
}

TEST_CASE("Patterns are what their names say") {
  const std::vector<int64_t> sequential = indices("sequential");
  const std::vector<int64_t> reversed = indices("reversed");
  const std::vector<int64_t> strided = indices("strided-7");
  for (size_t i = 0; i < 500; ++i) {
    const auto n = static_cast<int64_t>(i);
    CHECK(sequential[i] == n % 100);
    CHECK(reversed[i] == 99 - n % 100);
    CHECK(strided[i] == n * 7 % 100);
  }
  const std::vector<int64_t> sorted = indices("sorted");
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  const std::vector<int64_t> constant = indices("constant");
  CHECK(std::set<int64_t>(constant.begin(), constant.end()).size() == 1);
  const std::vector<int64_t> permutation = indices("permutation");
  CHECK(std::set<int64_t>(permutation.begin(), permutation.begin() + 100).size() == 100);
  const std::vector<int64_t> local = indices("local-3");
  for (size_t i = 0; i < 500; ++i) CHECK(std::abs(local[i] - static_cast<int64_t>(i) / 5) <= 3);
  const std::vector<int64_t> rows = indices("rows", "gathernd:f32:1000:i64:20x30x1");
  for (size_t i = 0; i < 600; ++i) CHECK(rows[i] == rows[i / 30 * 30]);
  const std::vector<int64_t> diagonal = indices("diagonal", "gathernd:f32:8x5:i64:60x2");
  for (size_t i = 0; i < 60; ++i)
    CHECK((diagonal[2 * i] == static_cast<int64_t>(i) % 8 && diagonal[2 * i + 1] == static_cast<int64_t>(i) % 5));
}

TEST_CASE("A power law has one entry that is far more frequent than the mean") {
  const std::vector<int64_t> zipf = indices("zipf-1.1", "gathernd:f32:1000:i64:20000x1");
  std::vector<int> counts(1000);
  for (const int64_t index : zipf) ++counts[static_cast<size_t>(index)];
  CHECK(*std::max_element(counts.begin(), counts.end()) > 20 * 20);
}

TEST_CASE("The same seed gives the same indices, another one others") {
  for (const char* pattern : {"uniform", "sorted", "permutation", "zipf-1.1", "local-9"}) {
    INFO(pattern);
    const std::string text = std::string("gathernd:f32:1000:i64:500x1:pattern=") + pattern;
    CHECK(generate_indices(parse_problem(text + ":seed=3")) == generate_indices(parse_problem(text + ":seed=3")));
    CHECK(generate_indices(parse_problem(text + ":seed=3")) != generate_indices(parse_problem(text + ":seed=4")));
  }
}

TEST_CASE("Fractions of negative and bad indices are met") {
  const std::vector<int64_t> values =
      generate_indices(parse_problem("gathernd:f32:100:i64:20000x1:negative=0.25:bad=0.1"));
  const auto bad = std::count_if(values.begin(), values.end(), [](int64_t v) { return v < -100 || v >= 100; });
  const auto negative = std::count_if(values.begin(), values.end(), [](int64_t v) { return v < 0 && v >= -100; });
  CHECK((bad > 1800 && bad < 2200));
  CHECK((negative > 4200 && negative < 4800));
}

TEST_CASE("Data is filled so that an element taken from a wrong place shows") {
  // Every aligned element differs from its neighbours, and the table has hardly two equal ones.
  constexpr size_t count = 1 << 16;
  std::vector<uint32_t> table(count);
  fill_bytes(reinterpret_cast<std::byte*>(table.data()), 4 * count, 7);
  for (size_t i = 1; i < count; ++i) CHECK_FALSE(table[i] == table[i - 1]);
  std::sort(table.begin(), table.end());
  const auto distinct = std::unique(table.begin(), table.end()) - table.begin();
  CHECK(static_cast<size_t>(distinct) > count - 64);
}

}  // namespace
}  // namespace garner::perf
