// SPDX-License-Identifier: Apache-2.0
// More than 2^31 elements and 2^32 bytes are really gathered, on every path; position counters, shards, carries and tails
// must be 64 bits wide everywhere.
//   GARNER_TEST_LONG  1: on every route
#include <algorithm>
#include <cstring>
#include <iostream>

#include "tests/big/mirror.h"
#include "tests/property/random.h"
#include "tests/support/views.h"

using namespace garner_test;

namespace {

constexpr int64_t two_to_31 = int64_t{1} << 31;
constexpr int64_t extent = 251;

// Places at which a counter of too few bits would go wrong, in elements of `width` bytes.
std::vector<size_t> edges(int64_t count, int64_t width) {
  std::vector<size_t> places;
  for (const int64_t place :
       {int64_t{0}, two_to_31 / width, two_to_31 - 1, two_to_31, 2 * two_to_31 / width, count - 1}) {
    if (place < count) places.push_back(static_cast<size_t>(place * width));
  }
  return places;
}

View mirrored(const Mirror& memory, Shape shape, garner_dtype dtype) {
  return {std::move(shape), std::nullopt, dtype, memory.start(), static_cast<int64_t>(memory.size())};
}

// u8 indices in [0, extent), others in each page of its own.
void fill_indices(const Mirror& index) {
  uint32_t state = 12345;
  for (const Mirror::Range& range : index.distinct()) {
    for (size_t i = range.begin; i < range.end; ++i) {
      state = state * 1664525u + 1013904223u;
      index.start()[i] = static_cast<uint8_t>((state >> 16) % extent);
    }
  }
}

// Where several showings of the repeated memory overlap, the output there is what the last of them wrote, which is the same.
template <class T>
bool outputs_right(const Mirror& index, const Mirror& output, const std::vector<T>& table) {
  for (const Mirror::Range& range : index.distinct()) {
    for (size_t i = range.begin; i < range.end; ++i) {
      T value;
      std::memcpy(&value, output.start() + i * sizeof(T), sizeof(T));
      if (value != table[index.start()[i]]) return false;
    }
  }
  return true;
}

void wipe(const Mirror& memory) {
  for (const Mirror::Range& range : memory.distinct())
    std::memset(memory.start() + range.begin, 0xEE, range.end - range.begin);
}

template <class T>
std::vector<T> some_table() {
  std::vector<T> table(static_cast<size_t>(extent));
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(i * 7 + 3);
  return table;
}

// One execution on one route; false when the route does not take the problem.
bool execute(const Route& route, const garner_op& op, const View& data, const View& index, const View& output,
             int32_t threads, garner_status& status, garner_error& error) {
  const garner_tensor data_tensor = tensor_of(data), index_tensor = tensor_of(index), output_tensor = tensor_of(output);
  garner_plan* created = nullptr;
  const garner_status planned =
      garner_plan_create(context_for(route), &op, &data_tensor, &index_tensor, &output_tensor, &created, &error);
  const PlanHandle plan(created);
  REQUIRE((planned == GARNER_OK || (planned == GARNER_UNSUPPORTED && route.path != GARNER_PATH_AUTO)));
  if (planned != GARNER_OK || !deviation(route, describe(plan.get(), threads)).empty()) return false;
  garner_args args = arguments(data, index, output);
  args.max_threads = threads;
  status = garner_plan_execute(plan.get(), &args, &error);
  return true;
}

// Minutes of work for all; one route for each piece of code that counts positions is enough for every day.
bool runs_every_day(const Route& route) {
  return route.path == GARNER_PATH_SCALAR || route.isa == GARNER_ISA_AVX2 ||
         (route.path == GARNER_PATH_COPY && routes().size() < 5);
}

// These routes with many threads; in the long test all, and the planner's own choice on one as well. `right` looks at the
// output.
template <class Right>
std::string on_routes(const garner_op& op, const View& data, const View& index, const View& output, Right right) {
  std::string ran;
  for (const Route& route : routes()) {
    for (const int32_t threads : {most_threads, 1}) {
      if (threads == 1 && route.path != GARNER_PATH_AUTO) continue;
      if (!long_test() && !runs_every_day(route)) continue;
      garner_status status = GARNER_OK;
      garner_error error = no_error();
      if (!execute(route, op, data, index, output, threads, status, error)) continue;
      INFO("route " << name(route) << ", " << threads << " threads: " << error.text);
      CHECK(status == GARNER_OK);
      CHECK(right());
      ran += " " + name(route);
    }
  }
  return ran;
}

}  // namespace

TEST_CASE("a row of more than 2^31 bytes") {
  const int64_t count = two_to_31 + (1 << 20) + 77;
  const Mirror index(static_cast<size_t>(count), edges(count, 1)), output(static_cast<size_t>(count), edges(count, 1));
  std::vector<uint8_t> table = some_table<uint8_t>();
  fill_indices(index);
  const View index_view = mirrored(index, {count, 1}, GARNER_UINT8),
             output_view = mirrored(output, {count}, GARNER_UINT8);
  const View data = view_of(table, {extent});
  const std::string ran = on_routes(gather_nd(), data, index_view, output_view, [&] {
    const bool right = outputs_right(index, output, table);
    wipe(output);
    return right;
  });
  std::cout << count << " elements of 1 byte:" << ran << std::endl;
  CHECK(ran.find("scalar") != std::string::npos);
  CHECK(ran.find("copy") != std::string::npos);

  // The only bad index stands behind 2^31.
  const int64_t bad = two_to_31 + 5;
  index.start()[bad] = 255;
  int named = 0;
  for (const Route& route : routes()) {
    garner_status status = GARNER_OK;
    garner_error error = no_error();
    if (!long_test() && route.path != GARNER_PATH_AUTO) continue;
    if (!execute(route, gather_nd(), data, index_view, output_view, most_threads, status, error)) continue;
    INFO("route " << name(route));
    CHECK(status == GARNER_OUT_OF_BOUNDS);
    CHECK(error.position == bad);
    CHECK(error.value == 255);
    ++named;
  }
  CHECK(named >= 1);
}

TEST_CASE("more than 2^31 elements of 4 bytes") {
  const int64_t count = two_to_31 + 4096 + 3;
  const Mirror index(static_cast<size_t>(count), edges(count, 1));
  // A showing of the output holds a quarter of the elements of one of the indices, so both repeat together only as often.
  const Mirror output(static_cast<size_t>(count) * 4, edges(count, 4));
  std::vector<uint32_t> table = some_table<uint32_t>();
  for (const Mirror::Range& range : index.distinct())
    std::memset(index.start() + range.begin, 9, range.end - range.begin);
  for (const size_t place : edges(count, 1)) index.start()[place] = static_cast<uint8_t>(place % 100 + 10);
  const auto right = [&] {
    bool good = true;
    for (const size_t place : edges(count, 1)) {
      uint32_t value;
      std::memcpy(&value, output.start() + 4 * place, 4);
      good = good && value == table[index.start()[place]];
    }
    wipe(output);
    return good;
  };
  std::string ran;
  for (const Route& route : routes()) {
    // The other bodies and paths have had as many elements of one byte.
    if (route.path != GARNER_PATH_JIT || route.body == GARNER_BODY_LOADS) continue;
    garner_status status = GARNER_OK;
    garner_error error = no_error();
    if (!execute(route, gather_nd(), view_of(table, {extent}), mirrored(index, {count, 1}, GARNER_UINT8),
                 mirrored(output, {count}, GARNER_UINT32), most_threads, status, error)) {
      continue;
    }
    INFO("route " << name(route) << ": " << error.text);
    CHECK(status == GARNER_OK);
    CHECK(right());
    ran += " " + name(route);
  }
  std::cout << count << " elements of 4 bytes:" << ran << std::endl;
  if (routes().size() > 5) CHECK(!ran.empty());
}

TEST_CASE("GatherElements over more than 2^31 columns") {
  const int64_t count = two_to_31 + 4096 + 5;
  const Mirror index(static_cast<size_t>(count), edges(count, 1)), output(static_cast<size_t>(count), edges(count, 1));
  const Mirror data(static_cast<size_t>(count) * 2, edges(2 * count, 1));
  for (const Mirror::Range& range : data.distinct())
    std::memset(data.start() + range.begin, 3, range.end - range.begin);
  for (const Mirror::Range& range : index.distinct())
    std::memset(index.start() + range.begin, 0, range.end - range.begin);
  const auto places = edges(count, 1);
  for (size_t i = 0; i < places.size(); ++i) index.start()[places[i]] = static_cast<uint8_t>(i % 2);
  const std::string ran =
      on_routes(gather_elements(0), mirrored(data, {2, count}, GARNER_UINT8), mirrored(index, {1, count}, GARNER_UINT8),
                mirrored(output, {1, count}, GARNER_UINT8), [&] {
                  bool right = true;
                  for (const size_t place : places) {
                    const size_t row = index.start()[place];
                    right = right && output.start()[place] == data.start()[row * static_cast<size_t>(count) + place];
                  }
                  wipe(output);
                  return right;
                });
  std::cout << count << " columns:" << ran << std::endl;
  CHECK(ran.find("scalar") != std::string::npos);
}

TEST_CASE("slices of more than 2^32 bytes in all") {
  const int64_t width = 4096, count = (int64_t{1} << 20) + 3;
  std::vector<uint8_t> table(static_cast<size_t>(100 * width));
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<uint8_t>(i / 4096 * 3 + i % 7);
  std::vector<int16_t> index(static_cast<size_t>(count));
  for (size_t i = 0; i < index.size(); ++i) index[i] = static_cast<int16_t>(static_cast<int>(i * 37 % 200) - 100);
  const Mirror output(static_cast<size_t>(count * width), edges(count * width, 1));
  const std::string ran = on_routes(gather_nd(), view_of(table, {100, width}), view_of(index, {count, 1}),
                                    mirrored(output, {count, width}, GARNER_UINT8), [&] {
                                      bool right = true;
                                      for (const size_t place : edges(count * width, 1)) {
                                        const size_t tuple = place / static_cast<size_t>(width);
                                        const int row = index[tuple] < 0 ? index[tuple] + 100 : index[tuple];
                                        right =
                                            right && std::memcmp(output.start() + tuple * static_cast<size_t>(width),
                                                                 table.data() + static_cast<int64_t>(row) * width,
                                                                 static_cast<size_t>(width)) == 0;
                                      }
                                      wipe(output);
                                      return right;
                                    });
  std::cout << count * width << " bytes of slices:" << ran << std::endl;
  CHECK(ran.find("copy") != std::string::npos);
}

TEST_CASE("one slice of more than 2^31 bytes") {
  const int64_t width = two_to_31 + 4096 + 300;
  const Mirror data(static_cast<size_t>(2 * width), edges(2 * width, 1)),
      output(static_cast<size_t>(width), edges(width, 1));
  for (const Mirror::Range& range : data.distinct())
    std::memset(data.start() + range.begin, 5, range.end - range.begin);
  std::vector<size_t> places = edges(width, 1);
  for (size_t i = 0; i < places.size(); ++i)
    data.start()[static_cast<size_t>(width) + places[i]] = static_cast<uint8_t>(100 + i);
  std::vector<int32_t> index = {-1};
  const std::string ran =
      on_routes(gather_nd(), mirrored(data, {2, width}, GARNER_UINT8), view_of(index, {1, 1}),
                mirrored(output, {1, width}, GARNER_UINT8), [&] {
                  bool right = true;
                  for (const size_t place : places)
                    right = right && output.start()[place] == data.start()[static_cast<size_t>(width) + place];
                  wipe(output);
                  return right;
                });
  std::cout << "a slice of " << width << " bytes:" << ran << std::endl;
  CHECK(ran.find("copy") != std::string::npos);
}
