// SPDX-License-Identifier: Apache-2.0
// Ends of buffers and ends of number ranges: reads past the last byte of a table, offsets that overflow 32 bits.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tests/support/catch.h"
#include "tests/support/reference.h"
#include "tests/support/reservation.h"

using namespace garner_test;

namespace {

// Executes on every route with raw buffers and compares with `wanted`.
int run_on_routes(const garner_op& op, const garner_tensor& data, const garner_tensor& index, garner_args args,
                  const Bytes& wanted) {
  int ran = 0;
  Bytes output(wanted.size());
  args.output = output.data();
  args.output_bytes = output.size();
  for (const Route& route : routes()) {
    garner_plan* created = nullptr;
    const garner_status planned =
        garner_plan_create(context_for(route), &op, &data, &index, nullptr, &created, nullptr);
    const PlanHandle plan(created);
    if (planned == GARNER_UNSUPPORTED && route.path != GARNER_PATH_AUTO) continue;
    INFO("route " << name(route));
    REQUIRE(planned == GARNER_OK);
    if (!deviation(route, describe(plan.get(), 1)).empty()) continue;
    std::fill(output.begin(), output.end(), uint8_t{0xA5});
    garner_error error = no_error();
    const garner_status status = garner_plan_execute(plan.get(), &args, &error);
    INFO(error.text);
    CHECK(status == GARNER_OK);
    CHECK((output == wanted));
    ++ran;
  }
  return ran;
}

}  // namespace

TEST_CASE("the last and the first element of a table at a guard page") {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (int64_t width : {1, 2, 4, 8, 16, 3, 12, 20}) {
    for (bool at_end : {true, false}) {
      CAPTURE(width, at_end);
      Reservation memory(3 * page);
      uint8_t* middle = memory.open(page, page);
      const int64_t count = 21;
      const size_t bytes = static_cast<size_t>(count * width);
      uint8_t* table = at_end ? middle + page - bytes : middle;
      const Tensor values = patterned(GARNER_OPAQUE, width, {count});
      std::memcpy(table, values.bytes.data(), bytes);
      for (int64_t tuples : {1, 2, 5, 8, 16, 33, 70}) {
        std::vector<int64_t> places(static_cast<size_t>(tuples));
        for (size_t i = 0; i < places.size(); ++i) places[i] = i % 3 == 0 ? count - 1 : i % 3 == 1 ? 0 : -1;
        const Problem problem{gather_nd(), values, indices({tuples, 1}, places)};
        const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
        garner_args args = arguments();
        args.data = table;
        args.data_bytes = bytes;
        args.indices = problem.indices.bytes.data();
        args.indices_bytes = problem.indices.bytes.size();
        CHECK(run_on_routes(problem.op, data, index, args, reference(problem).output) >= 3);
      }
    }
  }
}

TEST_CASE("tables around the sizes that fill registers") {
  for (const int64_t width : {1, 2, 4, 8}) {
    for (const int64_t count : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
      CAPTURE(width, count);
      std::vector<int64_t> places(500);
      for (size_t i = 0; i < places.size(); ++i) places[i] = count - 1 - static_cast<int64_t>(i) % count;
      const Problem problem{gather_nd(), patterned(GARNER_OPAQUE, width, {count}), indices({500, 1}, places)};
      const garner_tensor data = problem.data.descriptor(), index = problem.indices.descriptor();
      const garner_args args = arguments(problem, nullptr, 0);
      CHECK(run_on_routes(problem.op, data, index, args, reference(problem).output) >= 3);
    }
  }
}

TEST_CASE("row times stride times size passes 2^31 exactly") {
  struct Table {
    int64_t rows, columns;
  };
  for (const Table& shape : {Table{1 << 21, 256}, Table{(1 << 21) + 1, 256}, Table{16384 + 1, 131072}}) {
    Reservation memory(static_cast<size_t>(shape.rows * shape.columns) * sizeof(float));
    const int64_t last = shape.rows - 1;
    const size_t row_bytes = static_cast<size_t>(shape.columns) * sizeof(float);
    uint8_t* row = memory.open(static_cast<size_t>(last) * row_bytes, row_bytes);
    for (size_t i = 0; i < row_bytes; ++i) row[i] = static_cast<uint8_t>(i * 7 + 3);
    const Shape data_shape = {shape.rows, shape.columns};
    Tensor data;
    data.dtype = GARNER_FLOAT32;
    data.shape = data_shape;
    const Tensor index = indices({2, 1}, {last, -1});
    garner_args args = arguments();
    args.data = memory.start();
    args.data_bytes = memory.size();
    args.indices = index.bytes.data();
    args.indices_bytes = index.bytes.size();
    Bytes wanted(row, row + row_bytes);
    wanted.insert(wanted.end(), row, row + row_bytes);
    CAPTURE(shape.rows, shape.columns);
    CHECK(run_on_routes(gather_nd(), data.descriptor(), index.descriptor(), args, wanted) >= 3);
  }
}
