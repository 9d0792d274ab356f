// SPDX-License-Identifier: Apache-2.0
// Few elements, far apart: extents, strides and offsets at and beyond 2^31 and 2^32, of which only the wanted pages exist.
#include <cstring>

#include "tests/support/reservation.h"
#include "tests/support/views.h"

using namespace garner_test;

namespace {

constexpr int64_t gib = int64_t{1} << 30;

template <class T>
void put(Reservation& memory, int64_t element, T value) {
  std::memcpy(memory.open(static_cast<size_t>(element) * sizeof(T), sizeof(T)), &value, sizeof(T));
}

View table_view(const Reservation& memory, Shape shape, garner_dtype dtype) {
  return {std::move(shape), std::nullopt, dtype, memory.start(), static_cast<int64_t>(memory.size())};
}

// The same tuples again and again, so that whole blocks of every kernel see them.
template <class Index>
std::vector<Index> repeated(const std::vector<Index>& tuples, int times) {
  std::vector<Index> result;
  for (int i = 0; i < times; ++i) result.insert(result.end(), tuples.begin(), tuples.end());
  return result;
}

template <class T>
auto expect(std::vector<T>& output, const std::vector<T>& wanted) {
  return [&output, &wanted] {
    CHECK((output == wanted));
    std::fill(output.begin(), output.end(), T{});
  };
}

}  // namespace

TEST_CASE("negative 32-bit indices on an axis of more than 2^32") {
  const int64_t extent = 4 * gib + 10;
  Reservation table(static_cast<size_t>(extent) * sizeof(float));
  // All of the second would be in bounds if the extent lost its upper half.
  for (const std::vector<int32_t>& picks : {std::vector<int32_t>{-1, -5, -10, -11, 0, 7, INT32_MIN, INT32_MAX},
                                            std::vector<int32_t>{-1, -5, -10, -9, 0, 7, 9, -2}}) {
    std::vector<float> values;
    for (const int32_t pick : picks) {
      values.push_back(static_cast<float>(values.size() + 1));
      put(table, pick < 0 ? pick + extent : int64_t{pick}, values.back());
    }
    std::vector<int32_t> index = repeated(picks, 9);
    const std::vector<float> wanted = repeated(values, 9);
    std::vector<float> output(wanted.size());
    CHECK(run_routes(gather_nd(), table_view(table, {extent}, GARNER_FLOAT32), view_of(index, {72, 1}),
                     view_of(output, {72}), expect(output, wanted)) >= 3);
  }
}

TEST_CASE("unsigned 32-bit indices above 2^31") {
  const int64_t extent = 4 * gib;
  Reservation table(static_cast<size_t>(extent) * sizeof(float));
  const std::vector<uint32_t> picks = {0x80000000u, 0xFFFFFFFFu, 0x7FFFFFFFu, 0,
                                       0xC0000001u, 0x80000001u, 5,           0xFFFFFFF0u};
  std::vector<float> values;
  for (const uint32_t pick : picks) {
    values.push_back(static_cast<float>(values.size() + 1));
    put(table, int64_t{pick}, values.back());
  }
  std::vector<uint32_t> index = repeated(picks, 9);
  const std::vector<float> wanted = repeated(values, 9);
  std::vector<float> output(wanted.size());
  // Where a bad index is an error emitted code only asks for a second look; with the others it must know by itself.
  for (const int32_t bounds : {GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO}) {
    CAPTURE(bounds);
    CHECK(run_routes(with_policy(gather_nd(), bounds), table_view(table, {extent}, GARNER_FLOAT32),
                     view_of(index, {72, 1}), view_of(output, {72}), expect(output, wanted)) >= 3);
  }
}

TEST_CASE("two coordinates whose extents and strides pass 2^31 and 2^32") {
  for (const int64_t columns : {gib / 2 + 1, 2 * gib + 1, 4 * gib + 3}) {
    const int64_t rows = 3;
    Reservation table(static_cast<size_t>(rows * columns) * sizeof(double));
    const std::vector<int64_t> picks = {0, 0, 2, columns - 1, -1, -1, 1, 0, 1, -columns, 2, columns / 2, -3, -1, -2, 5};
    std::vector<double> values;
    for (size_t i = 0; i < picks.size(); i += 2) {
      const int64_t row = picks[i] < 0 ? picks[i] + rows : picks[i];
      const int64_t column = picks[i + 1] < 0 ? picks[i + 1] + columns : picks[i + 1];
      // The same place may be named twice.
      double value = static_cast<double>(row * 1000 + column % 997 + 1);
      put(table, row * columns + column, value);
      values.push_back(value);
    }
    std::vector<int64_t> index = repeated(picks, 6);
    const std::vector<double> wanted = repeated(values, 6);
    std::vector<double> output(wanted.size());
    CAPTURE(columns);
    CHECK(run_routes(gather_nd(), table_view(table, {rows, columns}, GARNER_FLOAT64), view_of(index, {48, 2}),
                     view_of(output, {48}), expect(output, wanted)) >= 3);
  }
}

TEST_CASE("slices behind strides of more than 2^32 bytes") {
  const int64_t rows = 3, columns = 2 * gib + 1, width = 3;  // of a row: 6 GiB of bytes
  Reservation table(static_cast<size_t>(rows * columns * width));
  const std::vector<int32_t> picks = {2, 2147483647, 1, 0, 0, -1, -1, -5};
  std::vector<uint8_t> values;
  for (size_t i = 0; i < picks.size(); i += 2) {
    const int64_t row = picks[i] < 0 ? picks[i] + rows : picks[i];
    const int64_t column = picks[i + 1] < 0 ? picks[i + 1] + columns : picks[i + 1];
    for (int64_t c = 0; c < width; ++c) {
      values.push_back(static_cast<uint8_t>(i * 8 + static_cast<size_t>(c) + 1));
      put(table, (row * columns + column) * width + c, values.back());
    }
  }
  std::vector<int32_t> index = repeated(picks, 7);
  const std::vector<uint8_t> wanted = repeated(values, 7);
  std::vector<uint8_t> output(wanted.size());
  CHECK(run_routes(gather_nd(), table_view(table, {rows, columns, width}, GARNER_UINT8), view_of(index, {28, 2}),
                   view_of(output, {28, 3}), expect(output, wanted)) >= 2);
}

TEST_CASE("rows of GatherElements that lie more than 2^32 bytes apart, forwards and backwards") {
  // axis 1: each row has a table of its own; long rows, and short ones that are folded.
  for (const int64_t columns : {int64_t{40}, int64_t{3}}) {
    for (const bool backwards : {false, true}) {
      const int64_t rows = 24, step = 4 * gib + 4096, table_columns = 5;
      Reservation memory(static_cast<size_t>((rows - 1) * step + table_columns) * sizeof(uint16_t));
      std::vector<uint16_t> wanted;
      std::vector<int64_t> index;
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t place = backwards ? rows - 1 - row : row;
        for (int64_t c = 0; c < table_columns; ++c)
          put(memory, place * step + c, static_cast<uint16_t>(row * 10 + c + 1));
        for (int64_t c = 0; c < columns; ++c) {
          const int64_t pick = (row + 2 * c) % table_columns;
          index.push_back(c % 2 == 0 ? pick : pick - table_columns);
          wanted.push_back(static_cast<uint16_t>(row * 10 + pick + 1));
        }
      }
      const auto bytes = static_cast<int64_t>(memory.size());
      std::vector<uint16_t> output(wanted.size());
      garner_op op = gather_elements(1);
      View data{{rows, table_columns}, Shape{backwards ? -step : step, 1}, GARNER_UINT16, memory.start(), bytes};
      data.byte_offset = backwards ? (rows - 1) * step * 2 : 0;
      CAPTURE(columns, backwards);
      CHECK(run_routes(op, data, view_of(index, {rows, columns}), view_of(output, {rows, columns}),
                       expect(output, wanted)) >= 3);
    }
  }
}

TEST_CASE("byte offsets beyond 2^32 that align nothing") {
  const int64_t offset = 4 * gib + 3;
  Reservation data_memory(static_cast<size_t>(offset + 8 * 50)), index_memory(static_cast<size_t>(offset + 8 * 60)),
      output_memory(static_cast<size_t>(offset + 8 * 60));
  data_memory.open(static_cast<size_t>(offset), 8 * 50);
  index_memory.open(static_cast<size_t>(offset), 8 * 60);
  output_memory.open(static_cast<size_t>(offset), 8 * 60);
  std::vector<double> wanted;
  for (int64_t i = 0; i < 50; ++i) {
    const double value = static_cast<double>(i) + 0.5;
    std::memcpy(data_memory.start() + offset + 8 * i, &value, 8);
  }
  for (int64_t i = 0; i < 60; ++i) {
    const int64_t pick = i * 7 % 100 - 50;
    std::memcpy(index_memory.start() + offset + 8 * i, &pick, 8);
    wanted.push_back(static_cast<double>(pick < 0 ? pick + 50 : pick) + 0.5);
  }
  View data = table_view(data_memory, {50}, GARNER_FLOAT64), index = table_view(index_memory, {60, 1}, GARNER_INT64),
       output = table_view(output_memory, {60}, GARNER_FLOAT64);
  data.byte_offset = index.byte_offset = output.byte_offset = offset;
  CHECK(run_routes(gather_nd(), data, index, output, [&] {
          CHECK(std::memcmp(output_memory.start() + offset, wanted.data(), 8 * 60) == 0);
          std::memset(output_memory.start() + offset, 0, 8 * 60);
        }) >= 3);
}
