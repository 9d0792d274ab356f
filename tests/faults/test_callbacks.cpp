// SPDX-License-Identifier: Apache-2.0
// The copy callback of owning strings fails at every one of its calls in turn, with any number of threads: the call says so
// with the callback's own code, stops soon, and no element holds anything but its old or its right value.
#include <iostream>

#include "tests/support/catch.h"
#include "tests/support/owning_strings.h"

using namespace garner_test;

namespace {

constexpr int32_t code = -77;

std::vector<std::string> texts(int64_t count) {
  std::vector<std::string> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back("text " + std::to_string(i) + std::string(static_cast<size_t>(i), '.'));
  return result;
}

struct Shaped {
  const char* name;
  garner_op op;
  Shape data_shape;
  Shape index_shape;
};

}  // namespace

TEST_CASE("the copy callback fails at every call in turn") {
  const Shaped cases[] = {
      {"elements", gather_nd(), {12}, {30, 1}},
      {"slices", gather_nd(), {12, 3}, {10, 1}},
      {"other axis", gather_elements(0), {12, 2}, {12, 2}},
      {"zero fill", with_policy(gather_nd(), GARNER_BOUNDS_ZERO), {5, 2}, {12, 1}},
  };
  const Route route{GARNER_PATH_AUTO, 0, 0};
  int64_t points = 0;
  for (const Shaped& c : cases) {
    const std::vector<std::string> data = texts(element_count(c.data_shape));
    std::vector<int64_t> values(static_cast<size_t>(element_count(c.index_shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 5 % 12);
    const Tensor index = indices(c.index_shape, values);
    StringCopier good;
    const OwningRun right = run_owning(route, c.op, c.data_shape, data, index, 1, good);
    REQUIRE(right.status == GARNER_OK);
    const int64_t calls = good.calls.load();
    REQUIRE(calls == static_cast<int64_t>(right.output.size()));
    for (const int32_t threads : {1, 2, most_threads}) {
      for (int64_t allowed = 0; allowed < calls; ++allowed) {
        StringCopier copier;
        copier.allowed = allowed;
        copier.code = code;
        const OwningRun run = run_owning(route, c.op, c.data_shape, data, index, threads, copier);
        CAPTURE(c.name, threads, allowed);
        if (run.status != GARNER_CALLBACK_FAILED || run.error.callback_code != code)
          FAIL_CHECK("status " << garner_status_name(run.status) << ", code " << run.error.callback_code);
        if (run.error.text[0] == '\0') FAIL_CHECK("no text");
        // Each thread may be in the middle of one call.
        if (copier.calls.load() > allowed + threads) FAIL_CHECK(copier.calls.load() << " calls of the callback");
        for (size_t i = 0; i < run.output.size(); ++i) {
          if (run.output[i] != right.output[i] && run.output[i] != "untouched")
            FAIL_CHECK("a stray value: " << run.output[i]);
        }
        ++points;
      }
    }
  }
  std::cout << "failed points: " << points << " of the copy callback" << std::endl;
  CHECK(points > 100);
}
