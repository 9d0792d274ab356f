// SPDX-License-Identifier: Apache-2.0
#include "perf/verification.h"

#include <cstring>
#include <string>
#include <vector>

#include "perf/checksum.h"
#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

Tensor tensor(garner_dtype dtype, std::vector<int64_t> shape, int64_t element_bytes = 0) {
  Tensor t;
  t.type = {dtype, element_bytes};
  t.shape = std::move(shape);
  return t;
}

template <class T>
std::string difference(const Tensor& t, const std::vector<T>& got, const std::vector<T>& right) {
  return first_difference(t, reinterpret_cast<const std::byte*>(got.data()),
                          reinterpret_cast<const std::byte*>(right.data()));
}

TEST_CASE("Equal outputs have no difference, empty ones neither") {
  CHECK(difference<float>(tensor(GARNER_FLOAT32, {2}), {1, 2}, {1, 2}).empty());
  CHECK(difference<float>(tensor(GARNER_FLOAT32, {0}), {}, {}).empty());
}

TEST_CASE("The first differing element is named with both values") {
  const Tensor t = tensor(GARNER_FLOAT32, {2, 3});
  CHECK(difference<float>(t, {1, 2, 3, 4, 6, 7}, {1, 2, 3, 4, 5, 6}) ==
        "output[1,1] (element 4 of 6) is 6 (bytes 00 00 c0 40), must be 5 (bytes 00 00 a0 40)");
  CHECK(difference<int8_t>(tensor(GARNER_INT8, {}), {-3}, {7}) ==
        "output[] (element 0 of 1) is -3 (bytes fd), must be 7 (bytes 07)");
}

TEST_CASE("Elements without a number show their bytes, long ones their beginning") {
  CHECK(difference<uint8_t>(tensor(GARNER_OPAQUE, {2}, 3), {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 0, 6}) ==
        "output[1] (element 1 of 2) is (bytes 04 05 06), must be (bytes 04 00 06)");
  std::vector<uint8_t> got(20, 0xab), right(20, 0xab);
  got[19] = 0;
  CHECK(holds(difference(tensor(GARNER_OPAQUE, {1}, 20), got, right), "ab ..."));
}

TEST_CASE("Elements follow the strides; bytes between them must stay") {
  Tensor t = tensor(GARNER_INT16, {2, 2});
  t.strides = {{1, 3}};  // elements at 0, 3, 1, 4
  const std::vector<int16_t> right{10, 11, 12, 13, 14};
  CHECK(difference<int16_t>(t, {10, 99, 12, 13, 14}, right) ==
        "output[1,0] (element 2 of 4) is 99 (bytes 63 00), must be 11 (bytes 0b 00)");
  CHECK(difference<int16_t>(t, {10, 11, 99, 13, 14}, right) ==
        "byte 4 of the output's buffer, which belongs to no element, was written");
}

TEST_CASE("The checksum is the CRC-32 that everyone has") {
  const std::string text = "123456789";
  CHECK(crc32(reinterpret_cast<const std::byte*>(text.data()), 9) == 0xcbf43926);
  CHECK(crc32(nullptr, 0) == 0);
}

}  // namespace
}  // namespace garner::perf
