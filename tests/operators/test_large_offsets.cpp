// SPDX-License-Identifier: Apache-2.0
// Offsets beyond 2^31 bytes and elements. Only the wanted pages of the ranges exist, so a wrong offset faults.
#include <algorithm>
#include <cstring>

#include "tests/support/catch.h"
#include "tests/support/reservation.h"
#include "tests/support/views.h"

using namespace garner_test;

namespace {

constexpr int64_t gib = int64_t{1} << 30;

// Elements at the given rows of a huge 1-D table, with a whole vector of each.
template <class T>
void expect_far_elements(int64_t count, const std::vector<int64_t>& rows) {
  Reservation table(static_cast<size_t>(count) * sizeof(T));
  std::vector<T> wanted;
  std::vector<int64_t> index;
  for (int repeat = 0; repeat < 9; ++repeat) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const T value = static_cast<T>(i * 29 + 1);
      std::memcpy(table.open(static_cast<size_t>(rows[i]) * sizeof(T), sizeof(T)), &value, sizeof(T));
      wanted.push_back(value);
      index.push_back(repeat % 2 == 0 ? rows[i] : rows[i] - count);
    }
  }
  const int64_t tuples = static_cast<int64_t>(index.size());
  std::vector<T> output(wanted.size());
  const View data{{count}, std::nullopt, dtype_of<T>(), table.start(), static_cast<int64_t>(table.size())};
  const int ran = run_routes(gather_nd(), data, view_of(index, {tuples, 1}), view_of(output, {tuples}), [&] {
    CHECK(output == wanted);
    std::fill(output.begin(), output.end(), T{});
  });
  CHECK(ran >= 3);
}

}  // namespace

TEST_CASE("elements of tables beyond 2 GiB and 4 GiB") {
  // Rows around 2^29, 2^31 and 2^32 bytes and at the end.
  expect_far_elements<uint8_t>(3 * gib, {0, 2 * gib - 1, 2 * gib, 2 * gib + 5000, 3 * gib - 1});
  expect_far_elements<uint8_t>(5 * gib, {4 * gib - 1, 4 * gib, 5 * gib - 1});
  expect_far_elements<float>(5 * gib / 4 * 2, {gib / 8, gib / 2 - 1, gib / 2, gib, 5 * gib / 2 - 1});
  expect_far_elements<float>(9 * gib / 4, {2 * gib, 2 * gib + 1, 9 * gib / 4 - 1});
  expect_far_elements<double>(9 * gib / 8, {gib / 4, gib / 2, gib, 9 * gib / 8 - 1});
  expect_far_elements<uint16_t>(9 * gib / 4, {gib, 2 * gib, 9 * gib / 4 - 1});
}

TEST_CASE("int32 and uint32 indices do not make 32-bit addresses") {
  const int64_t count = 5 * gib / 2;  // of float: 10 GiB
  Reservation table(static_cast<size_t>(count) * sizeof(float));
  const int64_t rows[] = {gib / 2, gib, 2 * gib - 1};
  std::vector<float> wanted;
  std::vector<int32_t> narrow;
  std::vector<uint32_t> wide;
  for (int i = 0; i < 27; ++i) {
    const float value = static_cast<float>(i % 3 + 1);
    std::memcpy(table.open(static_cast<size_t>(rows[i % 3]) * sizeof(float), sizeof(float)), &value, sizeof(float));
    wanted.push_back(value);
    narrow.push_back(static_cast<int32_t>(rows[i % 3]));
    wide.push_back(static_cast<uint32_t>(rows[i % 3]));
  }
  const View data{{count}, std::nullopt, GARNER_FLOAT32, table.start(), static_cast<int64_t>(table.size())};
  std::vector<float> output(27);
  const auto verify = [&] {
    CHECK(output == wanted);
    std::fill(output.begin(), output.end(), 0.0f);
  };
  CHECK(run_routes(gather_nd(), data, view_of(narrow, {27, 1}), view_of(output, {27}), verify) >= 3);
  CHECK(run_routes(gather_nd(), data, view_of(wide, {27, 1}), view_of(output, {27}), verify) >= 3);
}

TEST_CASE("rows of an embedding table of more than 2^31 elements") {
  const int64_t rows = 262144, width = 8960;
  Reservation table(static_cast<size_t>(rows * width));
  const int64_t picked[] = {239674, 239673, rows - 1, 0};
  for (int64_t row : picked) {
    std::memset(table.open(static_cast<size_t>(row * width), static_cast<size_t>(width)),
                static_cast<int>(row % 251 + 1), static_cast<size_t>(width));
  }
  std::vector<int64_t> index(picked, picked + 4);
  std::vector<uint8_t> output(static_cast<size_t>(4 * width));
  const View data{{rows, width}, std::nullopt, GARNER_UINT8, table.start(), static_cast<int64_t>(table.size())};
  const int ran = run_routes(gather_nd(), data, view_of(index, {4, 1}), view_of(output, {4, width}), [&] {
    for (size_t i = 0; i < 4; ++i) {
      const auto first = output.begin() + static_cast<std::ptrdiff_t>(i) * width;
      CHECK(std::count(first, first + width, static_cast<uint8_t>(picked[i] % 251 + 1)) == width);
    }
    std::fill(output.begin(), output.end(), uint8_t{0});
  });
  CHECK(ran >= 2);
}

TEST_CASE("two coordinates and GatherElements beyond 2^31 elements") {
  const int64_t rows = 46341, columns = 46342;  // 2147534622 bytes
  Reservation table(static_cast<size_t>(rows * columns));
  const auto put = [&](int64_t row, int64_t column, uint8_t value) {
    *table.open(static_cast<size_t>(row * columns + column), 1) = value;
  };
  put(rows - 1, columns - 1, 11);
  put(rows - 1, 0, 12);
  put(0, columns - 1, 13);
  put(0, 0, 14);
  const View data{{rows, columns}, std::nullopt, GARNER_UINT8, table.start(), static_cast<int64_t>(table.size())};
  std::vector<int64_t> pairs = {-1, -1, rows - 1, 0, 0, -1, 0, 0};
  std::vector<uint8_t> output(4);
  CHECK(run_routes(gather_nd(), data, view_of(pairs, {4, 2}), view_of(output, {4}), [&] {
          CHECK(output == std::vector<uint8_t>{11, 12, 13, 14});
          std::fill(output.begin(), output.end(), uint8_t{0});
        }) >= 3);
  std::vector<int64_t> column = {rows - 1, 0, -1, -rows};
  CHECK(run_routes(gather_elements(0), data, view_of(column, {4, 1}), view_of(output, {4, 1}), [&] {
          CHECK(output == std::vector<uint8_t>{12, 14, 12, 14});
          std::fill(output.begin(), output.end(), uint8_t{0});
        }) >= 3);
}

TEST_CASE("strided indices and outputs beyond 2 GiB") {
  // Four elements, each more than a gigabyte after the one before.
  const int64_t step = gib + 4096;
  Reservation index_memory(static_cast<size_t>(3 * step + 1) * 2), output_memory(static_cast<size_t>(3 * step + 1) * 2);
  std::vector<uint16_t> table = {100, 101, 102, 103, 104};
  const int16_t values[] = {4, -5, 2, -2};
  for (int64_t i = 0; i < 4; ++i) {
    std::memcpy(index_memory.open(static_cast<size_t>(i * step) * 2, 2), &values[i], 2);
    output_memory.open(static_cast<size_t>(i * step) * 2, 2);
  }
  const View index{
      {4, 1}, Shape{step, 1}, GARNER_INT16, index_memory.start(), static_cast<int64_t>(index_memory.size())};
  const View output{{4}, Shape{step}, GARNER_UINT16, output_memory.start(), static_cast<int64_t>(output_memory.size())};
  CHECK(run_routes(gather_nd(), view_of(table, {5}), index, output, [&] {
          const uint16_t wanted[] = {104, 100, 102, 103};
          for (int64_t i = 0; i < 4; ++i) {
            uint16_t value = 0;
            std::memcpy(&value, output_memory.start() + i * step * 2, 2);
            CHECK(value == wanted[i]);
            std::memset(output_memory.start() + i * step * 2, 0, 2);
          }
        }) >= 2);
}
