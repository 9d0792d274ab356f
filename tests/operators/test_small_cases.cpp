// SPDX-License-Identifier: Apache-2.0
// Small cases with values worked out by hand, many of which real implementations got wrong.
#include <cstdint>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace garner_test;

namespace {

using Floats = std::vector<float>;

void expect(const garner_op& op, const Tensor& data, const Tensor& index, const Expected& expected) {
  const Tally tally = expect_everywhere({op, data, index}, expected);
  CHECK(tally.runs >= 3);
}

}  // namespace

TEST_CASE("GatherElements with indices smaller than data on axis 0") {
  expect(gather_elements(0), dense<float>({2, 3}, {10, 11, 12, 20, 21, 22}), indices({2, 1}, {1, 0}),
         answer({2, 1}, Floats{20, 10}));
}

TEST_CASE("GatherElements with indices smaller than data on axis 1") {
  expect(gather_elements(1), dense<float>({2, 3}, {10, 11, 12, 20, 21, 22}), indices({1, 2}, {2, 0}),
         answer({1, 2}, Floats{12, 10}));
}

TEST_CASE("GatherElements with indices smaller than a square") {
  expect(gather_elements(0), arange<float>({3, 3}), indices({2, 2}, {2, 0, 1, 2}), answer({2, 2}, Floats{6, 1, 3, 7}));
}

TEST_CASE("GatherElements on the middle axis of a cube") {
  expect(gather_elements(1), arange<float>({2, 2, 2}), indices({2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0}),
         answer({2, 2, 2}, Floats{2, 1, 0, 3, 4, 7, 6, 5}));
}

TEST_CASE("GatherElements with a column of size 1") {
  std::vector<float> square;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) square.push_back(static_cast<float>(10 * i + j));
  }
  expect(gather_elements(0), dense<float>({5, 5}, square), indices({5, 1}, {0, 1, 2, 3, 4}),
         answer({5, 1}, Floats{0, 10, 20, 30, 40}));
}

TEST_CASE("GatherElements where every index of a row is the same") {
  expect(gather_elements(0), arange<float>({3, 2, 2}), indices({1, 2, 2}, {0, 0, 2, 2}),
         answer({1, 2, 2}, Floats{0, 1, 10, 11}));
}

TEST_CASE("GatherND checks bounds against the axes after the batch dims") {
  expect(gather_nd(1), dense<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), indices({2, 1}, {1, 2}),
         answer({2}, std::vector<int32_t>{2, 6}));
  expect(gather_nd(1), arange<int32_t>({5, 2}), indices({5, 1}, {0, 1, 0, 3, 1}), out_of_bounds(3, 0, 1, 3, 2));
}

TEST_CASE("GatherND with batch dims that differ") {
  expect(gather_nd(1), arange<float>({4, 3}), indices({2, 1}, {0, 1}), refusal(GARNER_INVALID_SHAPE));
  expect(gather_nd(1), arange<float>({1, 3}), indices({2, 1}, {0, 1}), refusal(GARNER_INVALID_SHAPE));
}

TEST_CASE("GatherND into an axis of extent 0") {
  expect(gather_nd(), arange<float>({0, 3}), indices({1, 1}, {0}), out_of_bounds(0, 0, 0, 0, 0));
}

TEST_CASE("GatherND with empty slices succeeds") {
  expect(gather_nd(), arange<float>({2, 0, 5}), indices({1, 1}, {0}), answer({1, 0, 5}, Floats{}));
}

TEST_CASE("GatherND with a scalar result") {
  expect(gather_nd(), dense<float>({2, 2}, {1, 2, 3, 4}), indices({2}, {1, 0}), answer({}, Floats{3}));
  expect(gather_nd(), arange<float>({2, 2, 2}), indices({2}, {1, 0}), answer({2}, Floats{4, 5}));
}

TEST_CASE("GatherND with tuples of no coordinates") {
  expect(gather_nd(), arange<float>({10, 20}), indices({2, 0}, {}), refusal(GARNER_INVALID_SHAPE));
}

TEST_CASE("GatherND-5 merges batch dims in the shape only") {
  const Tensor data = arange<float>({1, 2, 2, 4}, 1);
  const Tensor index = indices({1, 2, 2, 1}, {1, 0, 3, 2});
  expect(gather_nd(3, GARNER_GATHER_ND_OPENVINO_5), data, index, answer({4}, Floats{2, 5, 12, 15}));
  expect(gather_nd(3, GARNER_GATHER_ND_OPENVINO_8), data, index, answer({1, 2, 2}, Floats{2, 5, 12, 15}));
  expect(gather_nd(3), data, index, answer({1, 2, 2}, Floats{2, 5, 12, 15}));
}

TEST_CASE("GatherND-5 with one and with no batch dim has the shape of version 8") {
  expect(gather_nd(1, GARNER_GATHER_ND_OPENVINO_5), arange<float>({2, 3}), indices({2, 1, 1}, {2, 0}),
         answer({2, 1}, Floats{2, 3}));
  expect(gather_nd(0, GARNER_GATHER_ND_OPENVINO_5), arange<float>({2, 3}), indices({1, 1, 2}, {1, 2}),
         answer({1, 1}, Floats{5}));
}

TEST_CASE("an int64 index that narrows to a legal int32 is out of bounds") {
  const int64_t big = int64_t{1} << 32;
  expect(gather_nd(), arange<float>({4}), indices({1, 1}, {big}), out_of_bounds(0, 0, 0, big, 4));
  expect(gather_elements(0), arange<float>({4}), indices({1}, {big + 1}), out_of_bounds(0, 0, 0, big + 1, 4));
  expect(gather_nd(), arange<float>({4}), indices({1, 1}, {-big}), out_of_bounds(0, 0, 0, -big, 4));
}

TEST_CASE("the operator texts' own examples") {
  const Tensor square = arange<int32_t>({2, 2});
  const Tensor cube = arange<int32_t>({2, 2, 2});
  using Ints = std::vector<int32_t>;
  expect(gather_nd(), square, indices({2, 2}, {0, 0, 1, 1}), answer({2}, Ints{0, 3}));
  expect(gather_nd(), square, indices({2, 1}, {1, 0}), answer({2, 2}, Ints{2, 3, 0, 1}));
  expect(gather_nd(), cube, indices({2, 2}, {0, 1, 1, 0}), answer({2, 2}, Ints{2, 3, 4, 5}));
  expect(gather_nd(), cube, indices({2, 1, 2}, {0, 1, 1, 0}), answer({2, 1, 2}, Ints{2, 3, 4, 5}));
  expect(gather_nd(1), cube, indices({2, 1}, {1, 0}), answer({2, 2}, Ints{2, 3, 4, 5}));
  expect(gather_elements(1), dense<int32_t>({2, 2}, {1, 2, 3, 4}), indices({2, 2}, {0, 0, 1, 0}),
         answer({2, 2}, Ints{1, 1, 4, 3}));
  expect(gather_elements(0), arange<int32_t>({3, 3}, 1), indices({2, 3}, {1, 2, 0, 2, 0, 0}),
         answer({2, 3}, Ints{4, 8, 3, 7, 2, 3}));
}

TEST_CASE("a negative axis counts from the end") {
  expect(gather_elements(-2), arange<float>({3, 3}), indices({2, 2}, {2, 0, 1, 2}), answer({2, 2}, Floats{6, 1, 3, 7}));
  expect(gather_elements(-1), arange<float>({2, 3}), indices({2, 1}, {-1, 0}), answer({2, 1}, Floats{2, 3}));
  // The bad index is named by the axis as data counts it.
  expect(gather_elements(-1), arange<float>({2, 3}), indices({2, 1}, {0, 3}), out_of_bounds(1, 0, 1, 3, 3));
}

TEST_CASE("the lowest position and in it the lowest coordinate is named") {
  const Tensor data = arange<float>({3, 4});
  expect(gather_nd(), data, indices({2, 2, 2}, {0, 0, 2, 3, 3, 4, -4, 0}), out_of_bounds(2, 0, 0, 3, 3));
  expect(gather_nd(), data, indices({4, 2}, {0, 0, 2, -5, 3, 4, -4, 0}), out_of_bounds(1, 1, 1, -5, 4));
}
