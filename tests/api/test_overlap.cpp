// SPDX-License-Identifier: Apache-2.0
// The output's byte interval may not meet those of data and indices.
#include <cstring>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/handles.h"

using namespace garner_test;

namespace {

// One buffer that holds 8 int64 of data, 4 int64 of indices and 4 int64 of output at the given places (in bytes).
garner_status execute_in_one_buffer(size_t data_at, size_t indices_at, size_t output_at, garner_error& error,
                                    int64_t output_extent = 4) {
  std::vector<unsigned char> buffer(512, 0);
  const int64_t index[] = {7, 6, 5, 4};
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t value = 0;  // also a legal index where data and indices overlap
    std::memcpy(buffer.data() + data_at + i * 8, &value, 8);
  }
  std::memcpy(buffer.data() + indices_at, index, sizeof(index));
  const int64_t data_shape[] = {8}, index_shape[] = {output_extent, 1};
  garner_tensor data = GARNER_TENSOR_INIT, indices = GARNER_TENSOR_INIT;
  data.dtype = indices.dtype = GARNER_INT64;
  data.rank = 1;
  data.shape = data_shape;
  indices.rank = 2;
  indices.shape = index_shape;
  garner_args args = arguments();
  args.data = buffer.data() + data_at;
  args.data_bytes = 64;
  args.indices = buffer.data() + indices_at;
  args.indices_bytes = 32;
  args.output = buffer.data() + output_at;
  args.output_bytes = 32;
  const garner_op op = with_policy(gather_nd(), GARNER_BOUNDS_CLAMP);
  return garner_execute(nullptr, &op, &data, &indices, nullptr, &args, &error);
}

}  // namespace

TEST_CASE("touching intervals do not overlap") {
  garner_error error = no_error();
  CHECK(execute_in_one_buffer(0, 64, 96, error) == GARNER_OK);
  CHECK(execute_in_one_buffer(32, 96, 0, error) == GARNER_OK);
  CHECK(execute_in_one_buffer(128, 64, 96, error) == GARNER_OK);
}

TEST_CASE("one common byte is an overlap") {
  garner_error error = no_error();
  CHECK(execute_in_one_buffer(0, 200, 63, error) == GARNER_OVERLAP);
  CHECK(error.status == GARNER_OVERLAP);
  CHECK(std::strlen(error.text) > 0);
  CHECK(execute_in_one_buffer(131, 300, 100, error) == GARNER_OVERLAP);
  CHECK(execute_in_one_buffer(0, 200, 231, error) == GARNER_OVERLAP);
  CHECK(execute_in_one_buffer(0, 200, 169, error) == GARNER_OVERLAP);
  CHECK(execute_in_one_buffer(0, 200, 200, error) == GARNER_OVERLAP);
  CHECK(execute_in_one_buffer(0, 200, 16, error) == GARNER_OVERLAP);
}

TEST_CASE("data and indices may overlap") {
  garner_error error = no_error();
  CHECK(execute_in_one_buffer(0, 0, 100, error) == GARNER_OK);
  CHECK(execute_in_one_buffer(0, 16, 100, error) == GARNER_OK);
}

TEST_CASE("an empty output overlaps nothing") {
  garner_error error = no_error();
  CHECK(execute_in_one_buffer(0, 64, 16, error, 0) == GARNER_OK);
}

TEST_CASE("interleaved views of one buffer are refused") {
  std::vector<float> buffer(32, 1.0f);
  const int64_t shape[] = {8}, index_shape[] = {8, 1}, strides[] = {2};
  const int64_t index[] = {0, 1, 2, 3, 4, 5, 6, 7};
  garner_tensor data = GARNER_TENSOR_INIT, indices = GARNER_TENSOR_INIT, output = GARNER_TENSOR_INIT;
  data.dtype = output.dtype = GARNER_FLOAT32;
  data.rank = output.rank = 1;
  data.shape = output.shape = shape;
  data.strides = output.strides = strides;
  output.byte_offset = 4;  // the odd places, data has the even ones
  indices.dtype = GARNER_INT64;
  indices.rank = 2;
  indices.shape = index_shape;
  garner_args args = arguments();
  args.data = buffer.data();
  args.output = buffer.data();
  args.data_bytes = args.output_bytes = buffer.size() * sizeof(float);
  args.indices = index;
  args.indices_bytes = sizeof(index);
  const garner_op op = gather_nd();
  garner_error error = no_error();
  CHECK(garner_execute(nullptr, &op, &data, &indices, &output, &args, &error) == GARNER_OVERLAP);
  // Moved behind data within the same buffer it is fine: what counts are the bytes that the views reach.
  output.byte_offset = 64;
  CHECK(garner_execute(nullptr, &op, &data, &indices, &output, &args, &error) == GARNER_OK);
}
