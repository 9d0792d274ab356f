// SPDX-License-Identifier: Apache-2.0
// Strides and byte offsets on all three tensors: padded, transposed, reversed, broadcast, unaligned.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

void expect_in_all_layouts(const Problem& dense_problem) {
  const Expected expected = reference(dense_problem);
  Tally tally;
  for (Layout data : all_layouts) {
    for (Layout index : all_layouts) {
      for (Layout output : all_layouts) {
        INFO("data " << layout_name(data) << ", indices " << layout_name(index) << ", output " << layout_name(output));
        const Problem problem{dense_problem.op, laid_out(dense_problem.data, data),
                              laid_out(dense_problem.indices, index), output};
        tally += expect_everywhere(problem, expected);
      }
    }
  }
  CHECK(tally.runs > 0);
  CHECK(tally.per_route.count("scalar") == 1);
}

std::vector<int64_t> mixed(int64_t count, int64_t extent) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i * 7 % static_cast<size_t>(2 * extent)) - extent;
  return values;
}

}  // namespace

TEST_CASE("elements in every layout") {
  expect_in_all_layouts({gather_nd(), arange<float>({5, 6}), indices({3, 4, 2}, mixed(24, 5))});
}

TEST_CASE("slices in every layout") {
  expect_in_all_layouts({gather_nd(), arange<int16_t>({6, 2, 3}), indices({7, 1}, mixed(7, 6))});
}

TEST_CASE("batches in every layout") {
  expect_in_all_layouts({gather_nd(1), arange<double>({3, 4, 2}), indices({3, 5, 1}, mixed(15, 4))});
}

TEST_CASE("merged batches of GatherND-5 in every layout") {
  expect_in_all_layouts({gather_nd(2, GARNER_GATHER_ND_OPENVINO_5), arange<float>({2, 3, 4}), indices({2, 3, 5, 1}, [] {
                           std::vector<int64_t> values = mixed(30, 4);
                           for (int64_t& value : values) value = value < 0 ? -value - 1 : value;
                           return values;
                         }())});
}

TEST_CASE("GatherElements in every layout") {
  expect_in_all_layouts({gather_elements(1), arange<float>({3, 4, 5}), indices({2, 6, 3}, mixed(36, 4))});
}

TEST_CASE("bytes and 16-byte elements in every layout") {
  expect_in_all_layouts({gather_elements(0), arange<uint8_t>({4, 9}), indices({3, 9}, mixed(27, 4))});
  expect_in_all_layouts({gather_nd(), patterned(GARNER_COMPLEX128, 0, {7}), indices({11, 1}, mixed(11, 7))});
}

TEST_CASE("data and indices broadcast by strides of 0") {
  Tensor data = dense<float>({3}, {1, 2, 3});  // one row, seen as [4,3]
  data.shape = {4, 3};
  data.strides = Shape{0, 1};
  expect_everywhere({gather_nd(), data, indices({3, 2}, {0, 2, 3, 1, -1, 0})},
                    answer({3}, std::vector<float>{3, 2, 1}));
  Tensor index = indices({2}, {2, 0});  // one column, seen as [2,3]
  index.shape = {2, 3};
  index.strides = Shape{1, 0};
  expect_everywhere({gather_elements(0), arange<float>({3, 3}), index},
                    answer({2, 3}, std::vector<float>{6, 7, 8, 0, 1, 2}));
  expect_everywhere({gather_elements(1), arange<float>({3, 3}), index},
                    answer({2, 3}, std::vector<float>{2, 2, 2, 3, 3, 3}));
}

TEST_CASE("strides of extents 0 and 1 mean nothing") {
  const int64_t wild = int64_t{1} << 60;
  Tensor data = dense<float>({1, 3}, {1, 2, 3});
  data.strides = Shape{wild, 1};
  Tensor index = indices({2, 1}, {2, 0});
  index.strides = Shape{1, -wild};
  expect_everywhere({gather_elements(1), data, indices({1, 2}, {2, 0})}, answer({1, 2}, std::vector<float>{3, 1}));
  expect_everywhere({gather_nd(), dense<float>({3}, {1, 2, 3}), index}, answer({2}, std::vector<float>{3, 1}));
}

TEST_CASE("pointers of every alignment") {
  const Problem aligned{gather_nd(), arange<double>({33}), indices({70, 1}, mixed(70, 33))};
  const Expected expected = reference(aligned);
  for (int64_t shift = 1; shift < 8; ++shift) {
    CAPTURE(shift);
    Problem problem = aligned;
    for (Tensor* tensor : {&problem.data, &problem.indices}) {
      tensor->bytes.insert(tensor->bytes.begin(), static_cast<size_t>(tensor == &problem.data ? shift : 8 - shift),
                           0xEE);
      tensor->byte_offset = tensor == &problem.data ? shift : 8 - shift;
    }
    problem.output_layout = Layout::offset;
    expect_everywhere(problem, expected);
  }
}

TEST_CASE("output strides that map two elements to one place") {
  Tensor data = arange<float>({5});
  const Tensor index = indices({2, 3, 1}, {0, 1, 2, 3, 4, 0});
  const garner_op op = gather_nd();
  const garner_tensor data_tensor = data.descriptor();
  const garner_tensor index_tensor = index.descriptor();
  const auto planned = [&](Shape strides) {
    Tensor output;
    output.dtype = GARNER_FLOAT32;
    output.shape = {2, 3};
    output.strides = std::move(strides);
    const garner_tensor output_tensor = output.descriptor();
    garner_plan* plan = nullptr;
    garner_error error = no_error();
    const garner_status status =
        garner_plan_create(nullptr, &op, &data_tensor, &index_tensor, &output_tensor, &plan, &error);
    if (status != GARNER_OK) CHECK(error.argument == GARNER_ARGUMENT_OUTPUT);
    garner_plan_destroy(plan);
    return status;
  };
  CHECK(planned({0, 1}) == GARNER_INVALID_ARGUMENT);
  CHECK(planned({1, 1}) == GARNER_INVALID_ARGUMENT);
  CHECK(planned({2, 1}) == GARNER_INVALID_ARGUMENT);
  CHECK(planned({3, 0}) == GARNER_INVALID_ARGUMENT);
  CHECK(planned({2, -1}) == GARNER_INVALID_ARGUMENT);
  CHECK(planned({-3, -1}) == GARNER_OK);
  CHECK(planned({3, 1}) == GARNER_OK);
  CHECK(planned({1, 2}) == GARNER_OK);
}
