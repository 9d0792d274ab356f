// SPDX-License-Identifier: Apache-2.0
// Eight index types, each read in its own width and sign, with the extremes of its range.
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

template <class T>
struct Of {
  using type = T;
};

template <class Visit>
void for_each_index_type(Visit visit) {
  visit(Of<int8_t>{});
  visit(Of<uint8_t>{});
  visit(Of<int16_t>{});
  visit(Of<uint16_t>{});
  visit(Of<int32_t>{});
  visit(Of<uint32_t>{});
  visit(Of<int64_t>{});
  visit(Of<uint64_t>{});
}

}  // namespace

TEST_CASE("every index type with legal values") {
  for_each_index_type([](auto of) {
    using T = typename decltype(of)::type;
    CAPTURE(garner_dtype_name(dtype_of<T>()));
    std::vector<T> values(100);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(i * 11 % 50);
      if (std::is_signed_v<T> && i % 3 == 0) values[i] = static_cast<T>(values[i] - 50);
    }
    std::vector<T> deep(values);
    for (T& value : deep) value = static_cast<T>(value % 10);
    for (const Problem& problem : {Problem{gather_nd(), arange<float>({50}), dense<T>({100, 1}, values)},
                                   Problem{gather_nd(), arange<uint8_t>({50, 3}), dense<T>({100, 1}, values)},
                                   Problem{gather_nd(), arange<double>({50, 50}), dense<T>({50, 2}, values)},
                                   Problem{gather_nd(), arange<int16_t>({10, 10, 10, 10}), dense<T>({25, 4}, deep)},
                                   Problem{gather_elements(0), arange<float>({50, 4}), dense<T>({25, 4}, values)},
                                   Problem{gather_elements(1), arange<float>({20, 50}), dense<T>({20, 5}, values)}}) {
      CHECK(expect_everywhere(problem, reference(problem)).runs > 0);
    }
  });
}

TEST_CASE("every index type with the extremes of its range") {
  for_each_index_type([](auto of) {
    using T = typename decltype(of)::type;
    CAPTURE(garner_dtype_name(dtype_of<T>()));
    const T lowest = std::numeric_limits<T>::min();
    const T highest = std::numeric_limits<T>::max();
    for (T extreme :
         {lowest, highest, static_cast<T>(highest - 1), static_cast<T>(lowest + 1), static_cast<T>(highest / 2 + 1)}) {
      for (int64_t extent : {1, 40, 200}) {
        for (int32_t bounds : {GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO}) {
          for (int32_t negative : {GARNER_NEGATIVE_WRAP, GARNER_NEGATIVE_REJECT}) {
            CAPTURE(static_cast<int64_t>(extreme), extent, bounds, negative);
            std::vector<T> values(37, T{0});
            values[33] = extreme;
            const garner_op op = with_policy(gather_nd(), bounds, negative);
            for (const Problem& problem : {Problem{op, arange<float>({extent}, 1), dense<T>({37, 1}, values)},
                                           Problem{op, arange<float>({extent, 3}, 1), dense<T>({37, 1}, values)}}) {
              const Expected expected = reference(problem);
              for (const Route& route : routes()) {
                const Outcome outcome = run(route, problem, 1);
                if (!outcome.applied) continue;
                INFO("route " << name(route) << ": " << outcome.error.text);
                CHECK(outcome.status == expected.status);
                CHECK(outcome.inside);
                if (expected.status == GARNER_OK) CHECK(outcome.output == expected.output);
                if (expected.status == GARNER_OUT_OF_BOUNDS) {
                  CHECK(outcome.error.position == 33);
                  CHECK(outcome.error.value == static_cast<int64_t>(extreme));
                  CHECK(outcome.error.index_dtype == dtype_of<T>());
                }
              }
            }
          }
        }
      }
    }
  });
}

TEST_CASE("int8 -128 and uint8 200 on an axis of 200") {
  expect_everywhere({gather_nd(), arange<int32_t>({200}), dense<int8_t>({3, 1}, {-128, 127, -1})},
                    answer({3}, std::vector<int32_t>{72, 127, 199}));
  expect_everywhere({gather_nd(), arange<int32_t>({200}), dense<uint8_t>({2, 1}, {199, 200})},
                    out_of_bounds(1, 0, 0, 200, 200));
  expect_everywhere({gather_nd(), arange<int32_t>({256}), dense<uint8_t>({2, 1}, {200, 255})},
                    answer({2}, std::vector<int32_t>{200, 255}));
}

TEST_CASE("unsigned values above the signed range are too large and never negative") {
  const uint64_t top = uint64_t{1} << 63;
  expect_everywhere({gather_nd(), arange<float>({4}), dense<uint64_t>({1, 1}, {top})},
                    out_of_bounds(0, 0, 0, std::numeric_limits<int64_t>::min(), 4));
  expect_everywhere({gather_nd(), arange<float>({4}), dense<uint64_t>({1, 1}, {~uint64_t{0}})},
                    out_of_bounds(0, 0, 0, -1, 4));
  expect_everywhere({gather_nd(), arange<float>({4}), dense<uint32_t>({1, 1}, {0xFFFFFFFF})},
                    out_of_bounds(0, 0, 0, 0xFFFFFFFF, 4));
  // Clamped to the end, not to the start.
  const garner_op clamp = with_policy(gather_nd(), GARNER_BOUNDS_CLAMP);
  expect_everywhere({clamp, arange<float>({4}), dense<uint64_t>({2, 1}, {top, ~uint64_t{0}})},
                    answer({2}, std::vector<float>{3, 3}));
  expect_everywhere({clamp, arange<float>({4}), dense<uint32_t>({2, 1}, {0x80000000, 0xFFFFFFFF})},
                    answer({2}, std::vector<float>{3, 3}));
}

TEST_CASE("adding the extent to the lowest values does not wrap around") {
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  for (int64_t value : {lowest, lowest + 1, lowest + 4, -(int64_t{1} << 32), -(int64_t{1} << 32) + 1}) {
    CAPTURE(value);
    expect_everywhere({gather_nd(), arange<float>({4}), indices({1, 1}, {value})}, out_of_bounds(0, 0, 0, value, 4));
    expect_everywhere({gather_elements(0), arange<float>({4}), indices({1}, {value})},
                      out_of_bounds(0, 0, 0, value, 4));
  }
}

TEST_CASE("the text of an index error shows unsigned values as such") {
  const Outcome outcome =
      run({GARNER_PATH_AUTO, 0, 0}, {gather_nd(), arange<float>({4}), dense<uint64_t>({1, 1}, {~uint64_t{0}})}, 1);
  REQUIRE(outcome.status == GARNER_OUT_OF_BOUNDS);
  CHECK(std::string(outcome.error.text).find("18446744073709551615") != std::string::npos);
}
