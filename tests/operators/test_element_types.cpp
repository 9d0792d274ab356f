// SPDX-License-Identifier: Apache-2.0
// A gather moves bytes: every type and width, bit for bit, whatever the floating-point state of the caller.
#include <complex>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/reference.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace garner_test;

namespace {

// Elements, short rows, and GatherElements on both axes, each long enough for vectors and tails.
void expect_bits(const Tensor& table) {
  std::vector<int64_t> values(75);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 5 % 22) - 11;
  const int64_t count = table.shape[0];
  REQUIRE(count == 11);
  Tensor column = table;
  column.shape = {count, 1};
  for (const Problem& problem :
       {Problem{gather_nd(), table, indices({75, 1}, values)}, Problem{gather_nd(), column, indices({75, 1}, values)},
        Problem{gather_elements(0), table, indices({75}, values)},
        Problem{gather_elements(0), column, indices({75, 1}, values)}}) {
    expect_everywhere(problem, reference(problem));
  }
}

}  // namespace

TEST_CASE("every element type moves as bytes") {
  for (garner_dtype dtype = 1; dtype <= GARNER_FLOAT8E8M0; ++dtype) {
    if (garner_dtype_bytes(dtype) == 0 || dtype == GARNER_STRING) continue;
    CAPTURE(garner_dtype_name(dtype));
    expect_bits(patterned(dtype, 0, {11}));
    expect_bits(patterned(dtype, garner_dtype_bytes(dtype), {11}));  // the size said again
  }
}

TEST_CASE("opaque elements of any size") {
  for (int64_t bytes : {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 1000}) {
    CAPTURE(bytes);
    expect_bits(patterned(GARNER_OPAQUE, bytes, {11}));
  }
}

TEST_CASE("opaque elements of the largest size") {
  const Problem problem{gather_nd(), patterned(GARNER_OPAQUE, 65535, {3}), indices({4, 1}, {2, 0, -2, 1})};
  expect_everywhere(problem, reference(problem));
}

TEST_CASE("opaque sizes that cannot be") {
  Tensor table = patterned(GARNER_OPAQUE, 4, {11});
  const Tensor index = indices({2, 1}, {0, 1});
  for (int64_t bytes : {int64_t{0}, int64_t{-1}, int64_t{65536}, int64_t{1} << 40}) {
    CAPTURE(bytes);
    table.element_bytes = bytes;
    const garner_op op = gather_nd();
    const garner_tensor data = table.descriptor();
    const garner_tensor indices_tensor = index.descriptor();
    garner_plan* plan = nullptr;
    CHECK(garner_plan_create(nullptr, &op, &data, &indices_tensor, nullptr, &plan, nullptr) == GARNER_INVALID_ARGUMENT);
    CHECK(plan == nullptr);
  }
}

TEST_CASE("special values keep their bits") {
  // Signalling and quiet NaNs with payloads, -0.0, denormals, infinities.
  const std::vector<uint32_t> singles = {0x7F800001, 0x7FC12345, 0xFF800001, 0x80000000, 0x00000001, 0x807FFFFF,
                                         0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x00400000, 0xFFFFFFFF};
  const std::vector<uint64_t> doubles = {0x7FF0000000000001, 0x7FF8000012345678, 0xFFF0000000000001, 0x8000000000000000,
                                         0x0000000000000001, 0x800FFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000,
                                         0x7FEFFFFFFFFFFFFF, 0x0008000000000000, 0xFFFFFFFFFFFFFFFF};
  const std::vector<uint16_t> halves = {0x7C01, 0x7E42, 0xFC01, 0x8000, 0x0001, 0x83FF,
                                        0x7C00, 0xFC00, 0x7BFF, 0x0200, 0xFFFF};
  const std::vector<uint8_t> bools = {0, 1, 2, 255, 128, 0, 7, 1, 64, 3, 254};
  const auto with_dtype = [](Tensor tensor, garner_dtype dtype) {
    tensor.dtype = dtype;
    return tensor;
  };
  expect_bits(with_dtype(dense<uint32_t>({11}, singles), GARNER_FLOAT32));
  expect_bits(with_dtype(dense<uint64_t>({11}, doubles), GARNER_FLOAT64));
  expect_bits(with_dtype(dense<uint64_t>({11}, doubles), GARNER_COMPLEX64));
  expect_bits(with_dtype(dense<uint16_t>({11}, halves), GARNER_FLOAT16));
  expect_bits(with_dtype(dense<uint16_t>({11}, halves), GARNER_BFLOAT16));
  expect_bits(with_dtype(dense<uint8_t>({11}, bools), GARNER_BOOL));
  std::vector<uint64_t> pairs;
  for (uint64_t value : doubles) pairs.insert(pairs.end(), {value, ~value});
  Tensor complex128 = dense<uint64_t>({11}, pairs);
  complex128.dtype = GARNER_COMPLEX128;
  expect_bits(complex128);
}

#if defined(__x86_64__)
TEST_CASE("denormals survive FTZ and DAZ and the floating-point state is left as found") {
  const std::vector<uint32_t> denormals = {1, 2, 0x80000001, 0x007FFFFF, 0x7F800001, 0x80000000, 3, 4, 5, 6, 7};
  Tensor table = dense<uint32_t>({11}, denormals);
  table.dtype = GARNER_FLOAT32;
  std::vector<int64_t> values(75);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 5 % 22) - 11;
  const Problem problem{gather_nd(), table, indices({75, 1}, values)};
  const Expected expected = reference(problem);

  const unsigned before = _mm_getcsr();
  constexpr unsigned ftz_daz_toward_zero = 0x8000 | 0x0040 | 0x6000;
  for (const Route& route : routes()) {
    context_for(route);  // made under the usual state
    _mm_setcsr((before & ~0x3Fu) | ftz_daz_toward_zero);
    const unsigned set = _mm_getcsr();
    const Outcome outcome = run(route, problem, 1);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    INFO("route " << name(route));
    CHECK(after == set);  // control bits and exception flags alike
    if (!outcome.applied) continue;
    CHECK(outcome.status == GARNER_OK);
    CHECK(outcome.output == expected.output);
  }
}
#endif
