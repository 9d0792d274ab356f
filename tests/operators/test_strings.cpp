// SPDX-License-Identifier: Apache-2.0
// String tensors: views without a copy, and owning strings through the host's callback.
#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/owning_strings.h"
#include "tests/support/run.h"

using namespace garner_test;

namespace {

using Strings = std::vector<std::string>;
const Strings words = {"",    "short", std::string(100, 'x'), std::string("zero\0inside", 11), "\xC3\xA4\xE2\x82\xAC",
                       "last"};

Tensor views_of(const Strings& strings, Shape shape) {
  std::vector<garner_string_view> views;
  for (const std::string& text : strings) views.push_back({text.data(), text.size()});
  return dense<garner_string_view>(std::move(shape), views);
}

Expected answer_strings(Shape shape, Strings strings) {
  Expected expected;
  expected.shape = std::move(shape);
  expected.strings = std::move(strings);
  return expected;
}

const Route owning_routes[] = {{GARNER_PATH_AUTO, 0, 0}, {GARNER_PATH_SCALAR, 0, 0}};

}  // namespace

TEST_CASE("views point into the characters of the input") {
  const Tensor data = views_of(words, {6});
  const Tensor index = indices({4, 1}, {2, -1, 3, 0});
  expect_everywhere({gather_nd(), data, index}, answer_strings({4}, {words[2], words[5], words[3], words[0]}));
  const Outcome outcome = run({GARNER_PATH_AUTO, 0, 0}, {gather_nd(), data, index}, 1);
  REQUIRE(outcome.status == GARNER_OK);
  const auto views = values_of<garner_string_view>(outcome.output);
  REQUIRE(views.size() == 4);
  CHECK(static_cast<const void*>(views[0].data) == static_cast<const void*>(words[2].data()));
  CHECK(static_cast<const void*>(views[1].data) == static_cast<const void*>(words[5].data()));
}

TEST_CASE("views in slices and under each policy") {
  const Tensor data = views_of(words, {3, 2});
  expect_everywhere({gather_nd(), data, indices({2, 1}, {2, 0})},
                    answer_strings({2, 2}, {words[4], words[5], words[0], words[1]}));
  expect_everywhere({with_policy(gather_nd(), GARNER_BOUNDS_ZERO), data, indices({2, 2}, {1, 0, 3, 0})},
                    answer_strings({2}, {words[2], ""}));
  expect_everywhere({with_policy(gather_nd(), GARNER_BOUNDS_CLAMP), data, indices({1, 2}, {9, 9})},
                    answer_strings({1}, {words[5]}));
  expect_everywhere({gather_elements(0), data, indices({1, 2}, {1, 2})}, answer_strings({1, 2}, {words[2], words[5]}));
}

TEST_CASE("owning strings are assigned once per output element") {
  for (const Route& route : owning_routes) {
    for (int32_t threads : {1, 2, most_threads}) {
      CAPTURE(name(route), threads);
      StringCopier copier;
      std::vector<int64_t> values(60);
      Strings wanted;
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<int64_t>(i % 6);
        wanted.push_back(words[i % 6]);
      }
      const OwningRun run = run_owning(route, gather_nd(), {6}, words, indices({60, 1}, values), threads, copier);
      INFO(run.error.text);
      REQUIRE(run.status == GARNER_OK);
      CHECK(run.output == wanted);
      CHECK(copier.calls == 60);
    }
  }
}

TEST_CASE("owning strings in slices and zero-filled ones") {
  for (const Route& route : owning_routes) {
    CAPTURE(name(route));
    StringCopier copier;
    const garner_op op = with_policy(gather_nd(), GARNER_BOUNDS_ZERO);
    const OwningRun run = run_owning(route, op, {3, 2}, words, indices({3, 1}, {2, 7, 0}), 1, copier);
    REQUIRE(run.status == GARNER_OK);
    CHECK(run.output == Strings{words[4], words[5], "", "", words[0], words[1]});
    CHECK(copier.calls == 6);
  }
}

TEST_CASE("the first failing callback stops the call and its code is reported") {
  for (const Route& route : owning_routes) {
    CAPTURE(name(route));
    StringCopier copier;
    copier.allowed = 3;
    copier.code = -77;
    const OwningRun run = run_owning(route, gather_nd(), {6}, words, indices({6, 1}, {5, 4, 3, 2, 1, 0}), 1, copier);
    CHECK(run.status == GARNER_CALLBACK_FAILED);
    CHECK(run.error.status == GARNER_CALLBACK_FAILED);
    CHECK(run.error.callback_code == -77);
    CHECK(copier.calls == 4);  // one thread: none after the failure
    // The order of the calls is free, so which elements were assigned is, too.
    CHECK(std::count(run.output.begin(), run.output.end(), "untouched") == 3);
    for (size_t i = 0; i < run.output.size(); ++i)
      CHECK((run.output[i] == "untouched" || run.output[i] == words[5 - i]));
  }
}

TEST_CASE("a failing callback with many threads") {
  for (const Route& route : owning_routes) {
    CAPTURE(name(route));
    StringCopier copier;
    copier.allowed = 0;
    copier.code = 5;
    const OwningRun run = run_owning(route, gather_nd(), {6}, words, indices({600, 1}, std::vector<int64_t>(600, 2)),
                                     most_threads, copier);
    CHECK(run.status == GARNER_CALLBACK_FAILED);
    CHECK(run.error.callback_code == 5);
    CHECK(copier.calls < 600);  // further calls stop where possible
    CHECK(std::count(run.output.begin(), run.output.end(), "untouched") == 600);
  }
}

TEST_CASE("bad indices of owning strings") {
  for (const Route& route : owning_routes) {
    for (int32_t threads : {1, most_threads}) {
      CAPTURE(name(route), threads);
      StringCopier copier;
      const OwningRun run = run_owning(route, gather_nd(), {6}, words, indices({4, 1}, {0, 1, 6, -7}), threads, copier);
      CHECK(run.status == GARNER_OUT_OF_BOUNDS);
      CHECK(run.error.position == 2);
      CHECK(run.error.value == 6);
    }
  }
}

TEST_CASE("owning strings need a callback and cannot be forced onto byte copies") {
  StringCopier copier;
  const Tensor index = indices({1, 1}, {0});
  garner_tensor data = GARNER_TENSOR_INIT;
  const int64_t shape[] = {6};
  data.dtype = GARNER_STRING;
  data.element_bytes = sizeof(std::string);
  data.rank = 1;
  data.shape = shape;
  const garner_op op = gather_nd();
  const garner_tensor index_tensor = index.descriptor();
  std::string output = "untouched";
  garner_args args = arguments();
  args.data = words.data();
  args.data_bytes = words.size() * sizeof(std::string);
  args.indices = index.bytes.data();
  args.indices_bytes = index.bytes.size();
  args.output = &output;
  args.output_bytes = sizeof(output);
  garner_error error = no_error();
  CHECK(garner_execute(nullptr, &op, &data, &index_tensor, nullptr, &args, &error) == GARNER_INVALID_ARGUMENT);
  CHECK(error.argument == GARNER_ARGUMENT_ARGS);
  CHECK(output == "untouched");
  for (const Route& route : routes()) {
    if (route.path != GARNER_PATH_COPY && route.path != GARNER_PATH_JIT) continue;
    CAPTURE(name(route));
    const OwningRun run = run_owning(route, op, {6}, words, index, 1, copier);
    CHECK(run.status == GARNER_UNSUPPORTED);
    CHECK(copier.calls == 0);
  }
}
