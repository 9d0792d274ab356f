// SPDX-License-Identifier: Apache-2.0
// Shape inference: the rules of ranks, attributes and extents.
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/handles.h"
#include "tests/support/tensor.h"

using namespace garner_test;

namespace {

struct Inferred {
  garner_status status;
  Shape shape;
  garner_error error;
};

Inferred infer(const garner_op& op, const Shape& data_shape, const Shape& index_shape,
               garner_dtype dtype = GARNER_FLOAT32, garner_dtype index_dtype = GARNER_INT64) {
  Tensor data, index;
  data.dtype = dtype;
  data.shape = data_shape;
  index.dtype = index_dtype;
  index.shape = index_shape;
  const garner_tensor data_tensor = data.descriptor();
  const garner_tensor index_tensor = index.descriptor();
  Inferred result{GARNER_OK, Shape(GARNER_MAX_RANK, -7), no_error()};
  int32_t rank = -1;
  result.status =
      garner_infer_shape(&op, &data_tensor, &index_tensor, result.shape.data(), GARNER_MAX_RANK, &rank, &result.error);
  result.shape.resize(result.status == GARNER_OK ? static_cast<size_t>(rank) : 0);
  // A plan is refused for the same reason.
  garner_plan* plan = nullptr;
  CHECK(garner_plan_create(nullptr, &op, &data_tensor, &index_tensor, nullptr, &plan, nullptr) == result.status);
  CHECK((plan != nullptr) == (result.status == GARNER_OK));
  garner_plan_destroy(plan);
  return result;
}

void expect_shape(const garner_op& op, const Shape& data, const Shape& index, const Shape& wanted) {
  const Inferred inferred = infer(op, data, index);
  INFO(inferred.error.text);
  CHECK(inferred.status == GARNER_OK);
  CHECK(inferred.error.status == GARNER_OK);
  CHECK(inferred.shape == wanted);
}

void expect_refusal(const garner_op& op, const Shape& data, const Shape& index, garner_status status) {
  const Inferred inferred = infer(op, data, index);
  CAPTURE(data, index, inferred.error.text);
  CHECK(inferred.status == status);
  CHECK(inferred.error.status == status);
  CHECK(inferred.error.text[0] != '\0');
}

constexpr int32_t v5 = GARNER_GATHER_ND_OPENVINO_5;
constexpr int32_t v8 = GARNER_GATHER_ND_OPENVINO_8;

}  // namespace

TEST_CASE("GatherND output shapes") {
  expect_shape(gather_nd(), {1000, 256, 10, 15}, {25, 125, 3}, {25, 125, 15});
  expect_shape(gather_nd(1), {8, 128, 256}, {8, 32, 1}, {8, 32, 256});
  expect_shape(gather_nd(), {8, 128, 256}, {32, 1}, {32, 128, 256});
  expect_shape(gather_nd(1), {2, 64, 56, 56}, {2, 16, 16, 3}, {2, 16, 16});
  expect_shape(gather_nd(), {7}, {1}, {});
  expect_shape(gather_nd(2), {2, 3, 4}, {2, 3, 1}, {2, 3});
}

TEST_CASE("GatherND-5 merges two and more batch dims") {
  expect_shape(gather_nd(2, v5), {30, 2, 100, 35}, {30, 2, 3, 1}, {60, 3, 35});
  expect_shape(gather_nd(2, v8), {30, 2, 100, 35}, {30, 2, 3, 1}, {30, 2, 3, 35});
  expect_shape(gather_nd(3, v5), {1, 64, 64, 320}, {1, 64, 64, 1, 1}, {4096, 1});
  expect_shape(gather_nd(3, v8), {1, 64, 64, 320}, {1, 64, 64, 1, 1}, {1, 64, 64, 1});
  expect_shape(gather_nd(1, v5), {3, 4}, {3, 2, 1}, {3, 2});
  expect_shape(gather_nd(0, v5), {3, 4}, {3, 2, 1}, {3, 2, 4});
  expect_shape(gather_nd(2, v5), {0, 3, 4}, {0, 3, 5, 1}, {0, 5});
}

TEST_CASE("GatherElements has the shape of its indices") {
  expect_shape(gather_elements(1), {1, 196}, {1, 195}, {1, 195});
  expect_shape(gather_elements(0), {3, 3}, {700, 2}, {700, 2});
  expect_shape(gather_elements(-3), {2, 3, 4}, {9, 3, 4}, {9, 3, 4});
  expect_refusal(gather_elements(1), {3, 3}, {4, 1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_elements(0), {3, 3}, {3}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_elements(0), {3, 3}, {0, 5}, GARNER_INVALID_SHAPE);
}

TEST_CASE("attributes out of range") {
  expect_refusal(gather_elements(2), {3, 3}, {3, 3}, GARNER_INVALID_ARGUMENT);
  expect_refusal(gather_elements(-3), {3, 3}, {3, 3}, GARNER_INVALID_ARGUMENT);
  expect_refusal(gather_elements(512), {3, 3}, {3, 3}, GARNER_INVALID_ARGUMENT);
  expect_refusal(gather_elements(std::numeric_limits<int64_t>::min()), {3, 3}, {3, 3}, GARNER_INVALID_ARGUMENT);
  for (int32_t kind : {static_cast<int32_t>(GARNER_GATHER_ND_ONNX), v5, v8}) {
    expect_refusal(gather_nd(-1, kind), {3, 3}, {3, 1}, GARNER_INVALID_ARGUMENT);
    expect_refusal(gather_nd(2, kind), {3, 3}, {3, 3, 1}, GARNER_INVALID_ARGUMENT);
    expect_refusal(gather_nd(2, kind), {3, 3, 3}, {3, 1}, GARNER_INVALID_ARGUMENT);
    expect_refusal(gather_nd(10, kind), {3, 2}, {3, 1}, GARNER_INVALID_ARGUMENT);
    expect_refusal(gather_nd(std::numeric_limits<int64_t>::max(), kind), {3, 2}, {3, 1}, GARNER_INVALID_ARGUMENT);
  }
}

TEST_CASE("depth of tuples out of range") {
  expect_refusal(gather_nd(), {2}, {1, 3}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(), {2, 2}, {4, 0}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(1), {2, 2}, {2, 2}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(), {2}, {1, std::numeric_limits<int64_t>::max()}, GARNER_INVALID_SHAPE);
}

TEST_CASE("batch dims must be equal") {
  expect_refusal(gather_nd(1), {3, 4}, {1, 1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(1), {1, 3, 4, 4}, {2, 2, 2}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(1), {2, 3}, {4, 1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(2), {2, 3, 4}, {3, 2, 1}, GARNER_INVALID_SHAPE);
}

TEST_CASE("rank 0 and ranks above 16") {
  expect_refusal(gather_nd(), {}, {1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(), {3}, {}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_elements(0), {}, {}, GARNER_INVALID_SHAPE);
  expect_shape(gather_nd(), Shape(16, 1), {1}, Shape(15, 1));
  expect_shape(gather_nd(), Shape(16, 1), Shape{16}, {});
  expect_shape(gather_nd(), {2}, Shape(16, 1), Shape(15, 1));
  expect_shape(gather_elements(15), Shape(16, 2), Shape(16, 1), Shape(16, 1));
  expect_refusal(gather_nd(), Shape(17, 1), {1, 1}, GARNER_UNSUPPORTED);
  expect_refusal(gather_nd(), {2}, Shape(17, 1), GARNER_UNSUPPORTED);
  expect_refusal(gather_elements(0), Shape(17, 1), Shape(17, 1), GARNER_UNSUPPORTED);
  // The output alone has too many dims: 15 of the tuples and 2 of the slice.
  expect_refusal(gather_nd(), {2, 2, 2}, Shape(16, 1), GARNER_UNSUPPORTED);
  expect_shape(gather_nd(), {2, 2}, Shape(16, 1), [] {
    Shape shape(15, 1);
    shape.push_back(2);
    return shape;
  }());
}

TEST_CASE("negative extents and products that overflow") {
  const int64_t half = int64_t{1} << 32;
  expect_refusal(gather_nd(), {-1, 3}, {1, 1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(), {3}, {-4, 1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(), {half, half}, {1, 1}, GARNER_INVALID_SHAPE);      // elements
  expect_refusal(gather_nd(), {half, half / 4}, {1, 1}, GARNER_INVALID_SHAPE);  // bytes
  expect_refusal(gather_nd(), {2}, {half, half, 1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(), {4, half}, {half, 1}, GARNER_INVALID_SHAPE);  // the output alone
  expect_refusal(gather_elements(0), {half, half}, {1, 1}, GARNER_INVALID_SHAPE);
  expect_refusal(gather_nd(3, v5), {half, half, 2, 1}, {half, half, 2, 1}, GARNER_INVALID_SHAPE);
  expect_shape(gather_nd(), {int64_t{1} << 40, 4}, {1, 1}, {1, 4});
}

TEST_CASE("types that cannot be") {
  const auto status = [](garner_dtype dtype, garner_dtype index_dtype) {
    return infer(gather_nd(), {3}, {2, 1}, dtype, index_dtype).status;
  };
  for (garner_dtype dtype : std::vector<garner_dtype>{GARNER_FLOAT32, GARNER_BOOL, GARNER_STRING, GARNER_FLOAT16,
                                                      GARNER_COMPLEX64, GARNER_OPAQUE, 0}) {
    CAPTURE(dtype);
    CHECK(status(GARNER_FLOAT32, dtype) == GARNER_UNSUPPORTED);
  }
  // UNDEFINED, uint4, int4, float4e2m1, uint2, int2 of the ONNX list, and numbers that no list has.
  for (garner_dtype dtype : {0, 21, 22, 23, 25, 26, 99, -1, 0x10001}) {
    CAPTURE(dtype);
    CHECK(status(dtype, GARNER_INT64) == GARNER_UNSUPPORTED);
  }
}
