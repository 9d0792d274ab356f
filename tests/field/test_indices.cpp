// SPDX-License-Identifier: Apache-2.0
// Faults with index values, batch dims and attributes that users of gather operators met in the field.
#include "tests/support/catch.h"
#include "tests/support/owning_strings.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

using Floats = std::vector<float>;

void expect(const garner_op& op, const Tensor& data, const Tensor& index, const Expected& expected) {
  expect_everywhere({op, data, index}, expected);
}

}  // namespace

TEST_CASE("negative indices in every kind of gather") {
  const Tensor data = arange<float>({3, 4});
  expect(gather_elements(1), data, indices({3, 4}, std::vector<int64_t>(12, -1)),
         answer({3, 4}, Floats{3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11}));
  expect(gather_nd(), data, indices({2, 2}, {-1, -1, 0, -2}), answer({2}, Floats{11, 2}));
  expect(gather_nd(), arange<float>({2, 2, 2}), indices({2, 1, 1}, {-1, 0}),
         answer({2, 1, 2, 2}, Floats{4, 5, 6, 7, 0, 1, 2, 3}));
  expect(gather_elements(1), dense<float>({2, 2}, {1, 2, 3, 4}), indices({2, 2}, {-1, 0, 1, 0}),
         answer({2, 2}, Floats{2, 1, 4, 3}));
  expect(gather_nd(1), arange<float>({2, 3}), dense<int32_t>({2, 1}, {-1, -3}), answer({2}, Floats{2, 3}));
}

TEST_CASE("negative indices of string tensors") {
  const std::vector<std::string> words = {"ab", "cde", "f", "ghi"};
  for (int32_t path : {GARNER_PATH_AUTO, GARNER_PATH_SCALAR}) {
    StringCopier copier;
    const OwningRun run = run_owning({path, 0, 0}, gather_nd(), {2, 2}, words, indices({2, 1}, {-1, 0}), 1, copier);
    CHECK(run.status == GARNER_OK);
    CHECK(run.output == std::vector<std::string>{"f", "ghi", "ab", "cde"});
  }
}

TEST_CASE("a negative index in bodies and tails of vectors") {
  for (int64_t count : {1, 3, 8, 9, 17, 40}) {
    for (int64_t at = 0; at < count; ++at) {
      std::vector<int64_t> values(static_cast<size_t>(count), 1);
      values[static_cast<size_t>(at)] = -3;
      std::vector<float> wanted(static_cast<size_t>(count), 1.0f);
      wanted[static_cast<size_t>(at)] = 4.0f;
      const Problem problem{gather_nd(), arange<float>({7}), indices({count, 1}, values)};
      for (const Route& route : routes()) {
        const Outcome outcome = run(route, problem, 1);
        if (!outcome.applied) continue;
        CAPTURE(name(route), count, at);
        CHECK(outcome.status == GARNER_OK);
        CHECK(outcome.output == bytes_of(wanted));
      }
    }
  }
}

TEST_CASE("batch dims: equal or refused") {
  const Tensor two_rows = dense<float>({2, 3}, {0, 1, 2, 10, 11, 12});
  expect(gather_nd(1), arange<float>({3, 3}), indices({2, 1}, {1, 2}), refusal(GARNER_INVALID_SHAPE));
  expect(gather_nd(1), two_rows, indices({2, 1}, {1, 2}), answer({2}, Floats{1, 12}));
  expect(gather_nd(1), arange<float>({2, 2, 2}), indices({2, 1}, {1, 0}), answer({2, 2}, Floats{2, 3, 4, 5}));
  expect(gather_nd(1), arange<float>({4, 3}), indices({2, 1}, {1, 2}), refusal(GARNER_INVALID_SHAPE));
  expect(gather_nd(1), arange<float>({1, 3, 4, 4}), indices({2, 2, 2}, {0, 1, 1, 2, 2, 3, 0, 0}),
         refusal(GARNER_INVALID_SHAPE));
}

TEST_CASE("bounds belong to the axes behind the batch dims") {
  expect(gather_nd(), arange<float>({2, 3, 4}), indices({2, 2}, {0, 1, 1, 2}),
         answer({2, 4}, Floats{4, 5, 6, 7, 20, 21, 22, 23}));
  expect(gather_nd(1), arange<float>({2, 3}, 1), indices({2, 1}, {1, 2}), answer({2}, Floats{2, 6}));
  expect(gather_nd(1), arange<float>({5, 2}), indices({5, 1}, {0, 1, 1, 0, 3}), out_of_bounds(4, 0, 1, 3, 2));
}

TEST_CASE("tuples deeper than data") {
  expect(gather_nd(), arange<float>({2}), indices({1, 3}, {0, 0, 0}), refusal(GARNER_INVALID_SHAPE));
}

TEST_CASE("a bad index of value 0 is an error like any other") {
  expect(gather_nd(), arange<float>({0, 3}), indices({1, 1}, {0}), out_of_bounds(0, 0, 0, 0, 0));
  expect(gather_elements(0), arange<float>({0}), indices({1}, {0}), out_of_bounds(0, 0, 0, 0, 0));
}

TEST_CASE("rank 0 results") {
  expect(gather_nd(), dense<float>({2, 2}, {1, 2, 3, 4}), indices({2}, {1, 0}), answer({}, Floats{3}));
  expect(gather_nd(), arange<float>({2, 2, 2}), indices({2}, {1, 0}), answer({2}, Floats{4, 5}));
  expect(gather_nd(), dense<float>({2, 2}, {1, 2, 3, 4}), indices({2}, {1, 2}), out_of_bounds(0, 1, 1, 2, 2));
}

TEST_CASE("int32 indices are not read as int64") {
  expect(gather_elements(1), dense<float>({2, 2}, {1, 2, 3, 4}), dense<int32_t>({2, 1}, {0, 1}),
         answer({2, 1}, Floats{1, 4}));
  expect(gather_nd(), arange<float>({5}), dense<int32_t>({4, 1}, {2, 0, 2, 4}), answer({4}, Floats{2, 0, 2, 4}));
}

TEST_CASE("64-bit data is not narrowed") {
  const std::vector<int64_t> values = {(int64_t{1} << 53) + 1, -((int64_t{1} << 53) + 1), INT64_MIN, 20000001};
  expect(gather_nd(), dense<int64_t>({4}, values), indices({4, 1}, {3, 2, 1, 0}),
         answer({4}, std::vector<int64_t>{values[3], values[2], values[1], values[0]}));
  expect(gather_nd(), dense<double>({2}, {0.1, 1e-320}), indices({2, 1}, {1, 0}),
         answer({2}, std::vector<double>{1e-320, 0.1}));
}

TEST_CASE("indices far outside of tiny tables") {
  expect(gather_nd(), arange<float>({1}), indices({1, 1}, {-10}), out_of_bounds(0, 0, 0, -10, 1));
  expect(gather_nd(), arange<float>({2}), indices({1, 1}, {2}), out_of_bounds(0, 0, 0, 2, 2));
  // The flat offset stays inside data, the coordinate does not.
  expect(gather_nd(), arange<float>({3, 4}), indices({1, 2}, {0, 5}), out_of_bounds(0, 1, 1, 5, 4));
  expect(gather_nd(), arange<float>({3, 4}), indices({1, 2}, {1, -5}), out_of_bounds(0, 1, 1, -5, 4));
}

TEST_CASE("one bad index under every policy") {
  const Tensor data = arange<float>({12}, 1);
  const Tensor index = indices({2, 1}, {11, 12});
  expect(gather_nd(), data, index, out_of_bounds(1, 0, 0, 12, 12));
  expect(with_policy(gather_nd(), GARNER_BOUNDS_ZERO), data, index, answer({2}, Floats{12, 0}));
  expect(with_policy(gather_nd(), GARNER_BOUNDS_CLAMP), data, index, answer({2}, Floats{12, 12}));
}

TEST_CASE("bools are bytes") {
  Tensor data = dense<uint8_t>({2, 2}, {0, 1, 1, 1});
  data.dtype = GARNER_BOOL;
  expect(gather_elements(1), data, indices({2, 2}, {0, 0, 1, 0}), answer({2, 2}, Bytes{0, 0, 1, 1}));
  data.bytes = {0, 2, 255, 1};
  expect(gather_elements(1), data, indices({2, 2}, {1, 0, 0, 1}), answer({2, 2}, Bytes{2, 0, 255, 1}));
}

TEST_CASE("packed types are refused and not read as bytes") {
  for (garner_dtype packed : {21, 22, 23}) {
    Tensor data;
    data.dtype = packed;
    data.shape = {8};
    const Tensor index = indices({2, 1}, {0, 1});
    const garner_op op = gather_nd();
    const garner_tensor data_tensor = data.descriptor(), index_tensor = index.descriptor();
    for (const Route& route : routes()) {
      garner_plan* plan = nullptr;
      garner_error error = no_error();
      CHECK(garner_plan_create(context_for(route), &op, &data_tensor, &index_tensor, nullptr, &plan, &error) ==
            GARNER_UNSUPPORTED);
      CHECK(plan == nullptr);
      CHECK(error.argument == GARNER_ARGUMENT_DATA);
    }
  }
}
