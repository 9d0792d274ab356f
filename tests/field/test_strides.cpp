// SPDX-License-Identifier: Apache-2.0
// Faults of address arithmetic that users of gather operators met in the field.
#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

using Floats = std::vector<float>;

void expect(const garner_op& op, const Tensor& data, const Tensor& index, const Expected& expected) {
  expect_everywhere({op, data, index}, expected);
}

Tensor with_strides(Tensor tensor, Shape shape, Shape strides) {
  tensor.shape = std::move(shape);
  tensor.strides = std::move(strides);
  return tensor;
}

}  // namespace

TEST_CASE("source strides come from data and not from smaller indices") {
  std::vector<float> values;
  for (int sign : {1, -1}) {
    for (int i = 1; i <= 16; ++i) values.push_back(static_cast<float>(sign * i));
  }
  expect(gather_elements(0), dense<float>({4, 2, 4}, values), indices({2, 2, 3}, {0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1}),
         answer({2, 2, 3}, Floats{1, 10, 11, 13, 6, 15, 1, 10, 3, 13, 6, 15}));
  expect(gather_elements(1), arange<float>({3, 3}), indices({2, 2}, {0, 1, 1, 0}), answer({2, 2}, Floats{0, 1, 4, 3}));
  expect(gather_elements(1), dense<float>({2, 3}, {10, 11, 12, 20, 21, 22}), indices({1, 2}, {2, 0}),
         answer({1, 2}, Floats{12, 10}));
}

TEST_CASE("smaller indices on the first and the middle and the last axis") {
  const Tensor data = arange<int32_t>({4, 5, 6});
  for (int64_t axis : {0, 1, 2}) {
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{1, 5, 1}, Shape{4, 1, 6}, Shape{3, 5, 6}, Shape{4, 5, 1}}) {
      std::vector<int64_t> values(static_cast<size_t>(element_count(shape)));
      for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 3 % 4);
      CAPTURE(axis, shape);
      const Problem problem{gather_elements(axis), data, indices(shape, values)};
      expect_everywhere(problem, reference(problem));
    }
  }
}

TEST_CASE("the axis of a cube is never folded into a neighbour") {
  const Tensor cube = arange<float>({2, 2, 2});
  const Tensor index = indices({2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0});
  expect(gather_elements(1), cube, index, answer({2, 2, 2}, Floats{2, 1, 0, 3, 4, 7, 6, 5}));
  expect(gather_elements(-2), cube, index, answer({2, 2, 2}, Floats{2, 1, 0, 3, 4, 7, 6, 5}));
  for (int64_t axis : {0, 1, 2, 3}) {
    std::vector<int64_t> values(81);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>((i * 5 + i / 9) % 3);
    const Problem problem{gather_elements(axis), arange<float>({3, 3, 3, 3}), indices({3, 3, 3, 3}, values)};
    expect_everywhere(problem, reference(problem));
  }
}

TEST_CASE("expanded strides of a size-1 dim are no sign of repeated indices") {
  std::vector<float> square;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) square.push_back(static_cast<float>(10 * i + j));
  }
  const Tensor data = dense<float>({5, 5}, square);
  for (const Shape& strides : {Shape{1, 1}, Shape{1, 0}, Shape{1, 5}}) {
    expect(gather_elements(0), data, with_strides(indices({5}, {0, 1, 2, 3, 4}), {5, 1}, strides),
           answer({5, 1}, Floats{0, 10, 20, 30, 40}));
  }
}

TEST_CASE("expanded indices take the column of each element") {
  expect(gather_elements(0), arange<float>({3, 2, 2}), with_strides(indices({2}, {0, 2}), {1, 2, 2}, {1, 1, 0}),
         answer({1, 2, 2}, Floats{0, 1, 10, 11}));
  expect(gather_elements(-2), arange<double>({3, 5, 2}), with_strides(indices({1}, {0}), {3, 1, 2}, {0, 0, 0}),
         answer({3, 1, 2}, std::vector<double>{0, 1, 10, 11, 20, 21}));
}

TEST_CASE("rows of one repeated index of every length") {
  for (int64_t width : {1, 2, 3, 4, 7, 8, 9, 16, 31, 32, 33, 80, 255, 256, 300}) {
    std::vector<int64_t> repeated, all_but_last;
    for (int64_t row : {3, 0, 5, 5, -1}) {
      for (int64_t column = 0; column < width; ++column) {
        repeated.push_back(row);
        all_but_last.push_back(column + 1 == width ? 1 : row);
      }
    }
    CAPTURE(width);
    for (const auto& values : {repeated, all_but_last}) {
      const Problem problem{gather_elements(0), arange<float>({6, width}), indices({5, width}, values)};
      expect_everywhere(problem, reference(problem));
    }
  }
}

TEST_CASE("batch dims of merged shapes") {
  std::vector<int64_t> values(64);
  for (size_t i = 0; i < 64; ++i) values[i] = static_cast<int64_t>(i * 37 % 320);
  const Tensor data = arange<float>({1, 8, 8, 320});
  const Tensor index = indices({1, 8, 8, 1, 1}, values);
  Floats wanted;
  for (size_t i = 0; i < 64; ++i) wanted.push_back(static_cast<float>(i * 320 + i * 37 % 320));
  expect(gather_nd(3, GARNER_GATHER_ND_OPENVINO_5), data, index, answer({64, 1}, wanted));
  expect(gather_nd(3, GARNER_GATHER_ND_OPENVINO_8), data, index, answer({1, 8, 8, 1}, wanted));
  expect(gather_nd(3), data, index, answer({1, 8, 8, 1}, wanted));
}
