// SPDX-License-Identifier: Apache-2.0
// garner_dlpack.h with its own declarations: layouts, types, and every refusal with its reason.
#include <garner/garner_dlpack.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace {

enum Code : uint8_t {
  signed_int = 0,
  unsigned_int = 1,
  floating = 2,
  handle = 3,
  bfloat = 4,
  complex = 5,
  boolean = 6
};

// A borrowed tensor in CPU memory.
garner_dl_tensor borrowed(void* data, uint8_t code, uint8_t bits, int32_t rank, int64_t* shape,
                          int64_t* strides = nullptr, uint64_t byte_offset = 0) {
  return {data, 1, 0, rank, code, bits, 1, shape, strides, byte_offset};
}

garner_dl_view view_of(const garner_dl_tensor& tensor, int32_t argument = GARNER_ARGUMENT_DATA) {
  garner_dl_view view = {GARNER_TENSOR_INIT, nullptr, 0};
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = garner_dl_view_of(&tensor, argument, &view, &error);
  INFO(error.text);
  CHECK(status == GARNER_OK);
  return view;
}

// The status; the text has to contain `reason`.
garner_status refusal(const garner_dl_tensor& tensor, const std::string& reason) {
  garner_dl_view view = {GARNER_TENSOR_INIT, nullptr, 77};
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = garner_dl_view_of(&tensor, GARNER_ARGUMENT_INDICES, &view, &error);
  INFO(error.text);
  CHECK(std::string(error.text).find("DLPack: indices ") == 0);
  CHECK(std::string(error.text).find(reason) != std::string::npos);
  CHECK(error.status == status);
  CHECK(error.argument == GARNER_ARGUMENT_INDICES);
  CHECK(view.bytes == 77);
  CHECK(garner_dl_view_of(&tensor, GARNER_ARGUMENT_INDICES, &view, nullptr) == status);
  return status;
}

garner_status gather(const garner_dl_tensor& data, const garner_dl_tensor& indices, const garner_dl_tensor& output) {
  const garner_dl_view from = view_of(data), at = view_of(indices, GARNER_ARGUMENT_INDICES),
                       to = view_of(output, GARNER_ARGUMENT_OUTPUT);
  const garner_op op = GARNER_OP_INIT;
  const garner_args args = garner_dl_args(&from, &at, &to);
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = garner_execute(nullptr, &op, &from.tensor, &at.tensor, &to.tensor, &args, &error);
  INFO(error.text);
  CHECK(error.status == status);
  return status;
}

}  // namespace

TEST_CASE("DLPack tensors are gathered in place, with and without strides") {
  std::vector<float> data = {10, 11, 12, 20, 21, 22}, by_column = {10, 20, 11, 21, 12, 22},
                     backwards = {22, 21, 20, 12, 11, 10};
  std::vector<int64_t> indices = {0, 2, 1, -1, 1, 0};
  int64_t shape[] = {2, 3}, places[] = {3, 2}, three[] = {3};
  int64_t dense[] = {3, 1}, columns[] = {1, 2}, reversed[] = {-3, -1};
  const garner_dl_tensor at = borrowed(indices.data(), signed_int, 64, 2, places);
  const std::vector<float> expected = {12, 22, 20};

  std::vector<float> output(3);
  const garner_dl_tensor to = borrowed(output.data(), floating, 32, 1, three);
  CHECK(gather(borrowed(data.data(), floating, 32, 2, shape), at, to) == GARNER_OK);
  CHECK(output == expected);

  output.assign(3, 0);
  CHECK(gather(borrowed(data.data(), floating, 32, 2, shape, dense), at, to) == GARNER_OK);
  CHECK(output == expected);

  output.assign(3, 0);
  CHECK(gather(borrowed(by_column.data(), floating, 32, 2, shape, columns), at, to) == GARNER_OK);
  CHECK(output == expected);

  // Element [0,0] is the last of the buffer.
  output.assign(3, 0);
  CHECK(gather(borrowed(backwards.data(), floating, 32, 2, shape, reversed, 5 * sizeof(float)), at, to) == GARNER_OK);
  CHECK(output == expected);
}

TEST_CASE("byte_offset moves the buffer, and bytes are those that elements can touch") {
  std::vector<uint8_t> buffer(64);
  int64_t shape[] = {2, 3}, padded[] = {8, 2}, reversed[] = {-3, -1}, empty[] = {2, 0, 5};
  const garner_dl_view dense = view_of(borrowed(buffer.data(), unsigned_int, 16, 2, shape, nullptr, 10));
  CHECK(dense.data == buffer.data() + 10);
  CHECK(dense.bytes == 12);
  CHECK(dense.tensor.byte_offset == 0);
  CHECK(dense.tensor.strides == nullptr);
  CHECK(dense.tensor.shape == shape);

  const garner_dl_view with_gaps = view_of(borrowed(buffer.data(), unsigned_int, 16, 2, shape, padded, 10));
  CHECK(with_gaps.data == buffer.data() + 10);
  CHECK(with_gaps.bytes == 2 * (8 + 2 * 2 + 1));

  const garner_dl_view mirrored = view_of(borrowed(buffer.data(), unsigned_int, 16, 2, shape, reversed, 20));
  CHECK(mirrored.data == buffer.data() + 10);
  CHECK(mirrored.bytes == 12);
  CHECK(mirrored.tensor.byte_offset == 10);

  const garner_dl_view nothing = view_of(borrowed(nullptr, unsigned_int, 16, 3, empty));
  CHECK(nothing.data == nullptr);
  CHECK(nothing.bytes == 0);
  const garner_dl_view scalar = view_of(borrowed(buffer.data(), unsigned_int, 16, 0, nullptr));
  CHECK(scalar.bytes == 2);
  CHECK(scalar.tensor.rank == 0);
}

TEST_CASE("DLPack types become garner's") {
  std::vector<uint8_t> buffer(32);
  int64_t shape[] = {1};
  const auto dtype = [&](uint8_t code, uint8_t bits) {
    return view_of(borrowed(buffer.data(), code, bits, 1, shape)).tensor.dtype;
  };
  CHECK(dtype(signed_int, 8) == GARNER_INT8);
  CHECK(dtype(signed_int, 16) == GARNER_INT16);
  CHECK(dtype(signed_int, 32) == GARNER_INT32);
  CHECK(dtype(signed_int, 64) == GARNER_INT64);
  CHECK(dtype(unsigned_int, 8) == GARNER_UINT8);
  CHECK(dtype(unsigned_int, 16) == GARNER_UINT16);
  CHECK(dtype(unsigned_int, 32) == GARNER_UINT32);
  CHECK(dtype(unsigned_int, 64) == GARNER_UINT64);
  CHECK(dtype(floating, 16) == GARNER_FLOAT16);
  CHECK(dtype(floating, 32) == GARNER_FLOAT32);
  CHECK(dtype(floating, 64) == GARNER_FLOAT64);
  CHECK(dtype(bfloat, 16) == GARNER_BFLOAT16);
  CHECK(dtype(complex, 64) == GARNER_COMPLEX64);
  CHECK(dtype(complex, 128) == GARNER_COMPLEX128);
  CHECK(dtype(boolean, 8) == GARNER_BOOL);
  CHECK(dtype(10, 8) == GARNER_FLOAT8E4M3FN);
  CHECK(dtype(11, 8) == GARNER_FLOAT8E4M3FNUZ);
  CHECK(dtype(12, 8) == GARNER_FLOAT8E5M2);
  CHECK(dtype(13, 8) == GARNER_FLOAT8E5M2FNUZ);
  CHECK(dtype(14, 8) == GARNER_FLOAT8E8M0);
  // No number of its own, but whole bytes.
  const garner_tensor wide = view_of(borrowed(buffer.data(), floating, 128, 1, shape)).tensor;
  CHECK(wide.dtype == GARNER_OPAQUE);
  CHECK(wide.element_bytes == 16);
  CHECK(dtype(7, 8) == GARNER_OPAQUE);
}

TEST_CASE("bool bytes come out as they went in") {
  std::vector<uint8_t> data = {0, 1, 2, 255}, output(3);
  std::vector<int32_t> indices = {3, 2, 0};
  int64_t four[] = {4}, places[] = {3, 1}, three[] = {3};
  CHECK(gather(borrowed(data.data(), boolean, 8, 1, four), borrowed(indices.data(), signed_int, 32, 2, places),
               borrowed(output.data(), boolean, 8, 1, three)) == GARNER_OK);
  CHECK(output == std::vector<uint8_t>{255, 2, 0});
}

TEST_CASE("what cannot be taken is refused with a reason") {
  float value = 1;
  int64_t shape[] = {1}, negative[] = {-1}, huge[] = {std::numeric_limits<int64_t>::max(), 2}, steps[] = {2, 1};
  const garner_dl_tensor good = borrowed(&value, floating, 32, 1, shape);

  garner_dl_tensor tensor = good;
  tensor.device_type = 2;
  CHECK(refusal(tensor, "CPU memory, device type 1 (here 2)") == GARNER_UNSUPPORTED);
  tensor = good;
  tensor.lanes = 4;
  CHECK(refusal(tensor, "one lane per element (here 4)") == GARNER_UNSUPPORTED);
  tensor.lanes = 0;
  CHECK(refusal(tensor, "one lane") == GARNER_UNSUPPORTED);
  CHECK(refusal(borrowed(&value, handle, 64, 1, shape), "3064") == GARNER_UNSUPPORTED);
  CHECK(refusal(borrowed(&value, unsigned_int, 1, 1, shape), "1001") == GARNER_UNSUPPORTED);
  CHECK(refusal(borrowed(&value, 17, 4, 1, shape), "17004") == GARNER_UNSUPPORTED);
  CHECK(refusal(borrowed(&value, 99, 8, 1, shape), "99008") == GARNER_UNSUPPORTED);
  CHECK(refusal(borrowed(&value, floating, 0, 1, shape), "2000") == GARNER_UNSUPPORTED);
  CHECK(refusal(borrowed(&value, floating, 32, -1, shape), "0 to 16") == GARNER_INVALID_ARGUMENT);
  CHECK(refusal(borrowed(&value, floating, 32, 17, shape), "0 to 16") == GARNER_UNSUPPORTED);
  CHECK(refusal(borrowed(&value, floating, 32, 1, nullptr), "no shape") == GARNER_INVALID_ARGUMENT);
  CHECK(refusal(borrowed(&value, floating, 32, 1, negative), "negative extent (here -1)") == GARNER_INVALID_SHAPE);
  CHECK(refusal(borrowed(&value, floating, 32, 2, huge), "2^63") == GARNER_INVALID_SHAPE);
  CHECK(refusal(borrowed(&value, floating, 32, 2, huge, steps), "2^63") == GARNER_INVALID_SHAPE);
  CHECK(refusal(borrowed(nullptr, floating, 32, 1, shape), "no data") == GARNER_INVALID_ARGUMENT);
  CHECK(refusal(borrowed(&value, floating, 32, 1, shape, nullptr, UINT64_MAX), "byte_offset") ==
        GARNER_INVALID_ARGUMENT);
  garner_dl_view view;
  CHECK(garner_dl_view_of(nullptr, GARNER_ARGUMENT_DATA, &view, nullptr) == GARNER_INVALID_ARGUMENT);
}

TEST_CASE("versioned tensors say whether they may be written") {
  float value = 1;
  int64_t shape[] = {1};
  garner_dl_versioned managed = {1, 1, nullptr, nullptr, 0, borrowed(&value, floating, 32, 1, shape)};
  garner_dl_view view = {GARNER_TENSOR_INIT, nullptr, 0};
  garner_error error = GARNER_ERROR_INIT;
  CHECK(garner_dl_view_of_versioned(&managed, GARNER_ARGUMENT_OUTPUT, &view, &error) == GARNER_OK);
  CHECK(view.data == &value);
  managed.flags = 1;
  CHECK(garner_dl_view_of_versioned(&managed, GARNER_ARGUMENT_OUTPUT, &view, &error) == GARNER_INVALID_ARGUMENT);
  CHECK(std::string(error.text) == "DLPack: output is read-only; flags (here 1)");
  CHECK(garner_dl_view_of_versioned(&managed, GARNER_ARGUMENT_DATA, &view, &error) == GARNER_OK);
  CHECK(error.status == GARNER_OK);
  managed.flags = 2;  // a copy: may be written
  CHECK(garner_dl_view_of_versioned(&managed, GARNER_ARGUMENT_OUTPUT, &view, &error) == GARNER_OK);
  managed.major = 2;
  CHECK(garner_dl_view_of_versioned(&managed, GARNER_ARGUMENT_DATA, &view, &error) == GARNER_VERSION);
  CHECK(garner_dl_view_of_versioned(nullptr, GARNER_ARGUMENT_DATA, &view, &error) == GARNER_INVALID_ARGUMENT);
}
