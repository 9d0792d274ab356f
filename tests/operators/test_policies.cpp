// SPDX-License-Identifier: Apache-2.0
// error, clamp and zero; wrap and reject.
#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

using Floats = std::vector<float>;
constexpr int32_t error = GARNER_BOUNDS_ERROR, clamp = GARNER_BOUNDS_CLAMP, zero = GARNER_BOUNDS_ZERO;
constexpr int32_t wrap = GARNER_NEGATIVE_WRAP, reject = GARNER_NEGATIVE_REJECT;

const Tensor row = dense<float>({4}, {10, 11, 12, 13});
const Tensor wild = indices({8, 1}, {0, -1, -4, -5, 3, 4, 100, -100});

void expect(const garner_op& op, const Tensor& data, const Tensor& index, const Expected& expected) {
  expect_everywhere({op, data, index}, expected);
}

}  // namespace

TEST_CASE("single coordinates under each policy") {
  const garner_op op = gather_nd();
  expect(with_policy(op, error, wrap), row, wild, out_of_bounds(3, 0, 0, -5, 4));
  expect(with_policy(op, error, reject), row, wild, out_of_bounds(1, 0, 0, -1, 4));
  expect(with_policy(op, clamp, wrap), row, wild, answer({8}, Floats{10, 13, 10, 10, 13, 13, 13, 10}));
  expect(with_policy(op, clamp, reject), row, wild, answer({8}, Floats{10, 10, 10, 10, 13, 13, 13, 10}));
  expect(with_policy(op, zero, wrap), row, wild, answer({8}, Floats{10, 13, 10, 0, 13, 0, 0, 0}));
  expect(with_policy(op, zero, reject), row, wild, answer({8}, Floats{10, 0, 0, 0, 13, 0, 0, 0}));
}

TEST_CASE("GatherND-5 rejects negative indices by default and can wrap") {
  const Tensor index = indices({2, 1}, {0, -1});
  const garner_op op = gather_nd(0, GARNER_GATHER_ND_OPENVINO_5);
  expect(op, row, index, out_of_bounds(1, 0, 0, -1, 4));
  expect(with_policy(op, error, wrap), row, index, answer({2}, Floats{10, 13}));
  expect(with_policy(op, clamp), row, index, answer({2}, Floats{10, 10}));
  expect(with_policy(op, zero), row, index, answer({2}, Floats{10, 0}));
  expect(gather_nd(0, GARNER_GATHER_ND_OPENVINO_8), row, index, answer({2}, Floats{10, 13}));
}

TEST_CASE("clamp treats every coordinate on its own and zero the whole tuple") {
  const Tensor data = arange<float>({3, 4}, 1);
  const Tensor index = indices({4, 2}, {5, 1, -9, -1, 1, 9, 2, 3});
  expect(with_policy(gather_nd(), clamp), data, index, answer({4}, Floats{10, 4, 8, 12}));
  expect(with_policy(gather_nd(), zero), data, index, answer({4}, Floats{0, 0, 0, 12}));
}

TEST_CASE("zero fills whole slices") {
  const Tensor data = arange<float>({2, 3}, 1);
  const Tensor index = indices({3, 1}, {1, 2, 0});
  expect(with_policy(gather_nd(), zero), data, index, answer({3, 3}, Floats{4, 5, 6, 0, 0, 0, 1, 2, 3}));
  expect(with_policy(gather_nd(), clamp), data, index, answer({3, 3}, Floats{4, 5, 6, 4, 5, 6, 1, 2, 3}));
}

TEST_CASE("an axis of extent 0 cannot be clamped to") {
  const Tensor data = arange<float>({0, 3});
  const Tensor index = indices({2, 1}, {7, 0});
  expect(with_policy(gather_nd(), clamp), data, index, out_of_bounds(0, 0, 0, 7, 0));
  expect(with_policy(gather_nd(), zero), data, index, answer({2, 3}, Floats{0, 0, 0, 0, 0, 0}));
  expect(with_policy(gather_elements(0), clamp), data, indices({1, 3}, {-1, 0, 1}), out_of_bounds(0, 0, 0, -1, 0));
}

TEST_CASE("GatherElements under each policy on every axis") {
  const Tensor data = arange<float>({3, 4, 5}, 1);
  for (int64_t axis : {0, 1, 2}) {
    Shape shape = {2, 3, 4};
    std::vector<int64_t> values;
    for (int64_t i = 0; i < 24; ++i) values.push_back(i % 13 - 6);
    const Tensor index = indices(shape, values);
    for (int32_t bounds : {error, clamp, zero}) {
      for (int32_t negative : {wrap, reject}) {
        CAPTURE(axis, bounds, negative);
        const Problem problem{with_policy(gather_elements(axis), bounds, negative), data, index};
        expect_everywhere(problem, reference(problem));
      }
    }
  }
}

TEST_CASE("policies hold in long runs with bad indices at block borders") {
  // Long enough for whole vectors, tails and more than one block of every kernel.
  for (int64_t count : {1, 7, 8, 31, 64, 255, 256, 257, 1000}) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7 % 33) - 16;
    values.back() = 99;
    if (count > 256) values[255] = -17;
    const Tensor index = indices({count, 1}, values);
    for (int32_t bounds : {error, clamp, zero}) {
      CAPTURE(count, bounds);
      const Problem elements{with_policy(gather_nd(), bounds), arange<float>({16}, 1), index};
      expect_everywhere(elements, reference(elements));
      const Problem slices{with_policy(gather_nd(), bounds), arange<float>({16, 3}, 1), index};
      expect_everywhere(slices, reference(slices));
    }
  }
}
