// SPDX-License-Identifier: Apache-2.0
// The index buffer changes while slices, strings and other layouts are gathered (single elements: test_changing_indices). Every
// path reads an index once: what comes out is from data, or zero where that is the policy, and nothing outside data is read.
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/owning_strings.h"
#include "tests/support/reservation.h"
#include "tests/support/run.h"

using namespace garner_test;

namespace {

constexpr int64_t tuples = 1024;

// Stores legal values nearly always, and wild ones for a moment, in places of no order.
class Changer {
 public:
  Changer(std::vector<int64_t>& index, int64_t extent) : thread_([this, &index, extent] { change(index, extent); }) {}
  ~Changer() {
    stop_ = true;
    thread_.join();
  }

 private:
  void change(std::vector<int64_t>& index, int64_t extent) {
    const int64_t wild[] = {extent, -extent - 1, int64_t{1} << 30, INT64_MIN, INT64_MAX, int64_t{1} << 32};
    uint64_t state = 7;
    while (!stop_.load(std::memory_order_relaxed)) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::atomic_ref<int64_t> value(index[(state >> 33) % index.size()]);
      value.store(wild[(state >> 20) % 6], std::memory_order_relaxed);
      value.store(static_cast<int64_t>((state >> 40) % static_cast<uint64_t>(2 * extent)) - extent,
                  std::memory_order_relaxed);
    }
  }
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The pages of a table alone in the middle of nothing: an offset that was not checked faults.
class LonelyTable {
 public:
  explicit LonelyTable(size_t bytes) : memory_(size_t{1} << 33) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t whole = (bytes + page - 1) / page * page;
    // Its end lies at the end of its pages.
    start_ = memory_.open((size_t{1} << 32) / page * page, whole) + (whole - bytes);
  }
  uint8_t* start() const { return start_; }

 private:
  Reservation memory_;
  uint8_t* start_;
};

struct Shaped {
  const char* name;
  garner_op op;
  garner_dtype dtype;
  int64_t element_bytes;
  Shape data_shape;
  Shape index_shape;
  int64_t extent;  // of the axis that the indices address
};

// Every byte of the table has this bit, so whatever else comes out is foreign.
constexpr uint8_t mark = 0x80;

}  // namespace

TEST_CASE("slices and other layouts while indices change") {
  const Shaped cases[] = {
      {"short slices", gather_nd(), GARNER_UINT8, 0, {40, 5}, {tuples, 1}, 40},
      {"vectors", gather_nd(), GARNER_FLOAT32, 0, {40, 17}, {tuples, 1}, 40},
      {"long slices", gather_nd(), GARNER_FLOAT64, 0, {10, 300}, {tuples, 1}, 10},
      {"zero fill", with_policy(gather_nd(), GARNER_BOUNDS_ZERO), GARNER_UINT16, 0, {40, 20}, {tuples, 1}, 40},
      {"clamp", with_policy(gather_nd(), GARNER_BOUNDS_CLAMP), GARNER_UINT16, 0, {40, 20}, {tuples, 1}, 40},
      {"opaque", gather_nd(), GARNER_OPAQUE, 7, {30}, {tuples, 1}, 30},
      {"pairs", gather_nd(), GARNER_UINT8, 0, {30, 30, 9}, {tuples / 2, 2}, 30},
      {"other axis", gather_elements(0), GARNER_FLOAT32, 0, {50, 64}, {16, 64}, 50},
      {"short rows", gather_elements(1), GARNER_FLOAT32, 0, {256, 50}, {256, 4}, 50},
      {"bytes of a table", gather_elements(1), GARNER_UINT8, 0, {4, 60}, {4, 256}, 60},
  };
  for (const Shaped& c : cases) {
    const int64_t width = c.element_bytes != 0 ? c.element_bytes : garner_dtype_bytes(c.dtype);
    const auto table_bytes = static_cast<size_t>(element_count(c.data_shape) * width);
    const LonelyTable table(table_bytes);
    for (size_t i = 0; i < table_bytes; ++i) table.start()[i] = static_cast<uint8_t>(mark | i % 101);
    std::vector<int64_t> index(static_cast<size_t>(element_count(c.index_shape)), 0);
    garner_tensor data = GARNER_TENSOR_INIT, index_tensor = GARNER_TENSOR_INIT;
    data.dtype = c.dtype;
    data.element_bytes = c.element_bytes;
    data.rank = static_cast<int32_t>(c.data_shape.size());
    data.shape = c.data_shape.data();
    index_tensor.dtype = GARNER_INT64;
    index_tensor.rank = static_cast<int32_t>(c.index_shape.size());
    index_tensor.shape = c.index_shape.data();
    Shape shape(GARNER_MAX_RANK);
    int32_t rank = 0;
    REQUIRE(garner_infer_shape(&c.op, &data, &index_tensor, shape.data(), GARNER_MAX_RANK, &rank, nullptr) ==
            GARNER_OK);
    shape.resize(static_cast<size_t>(rank));
    Bytes output(static_cast<size_t>(element_count(shape) * width));
    garner_args args = arguments();
    args.data = table.start();
    args.data_bytes = table_bytes;
    args.indices = index.data();
    args.indices_bytes = index.size() * sizeof(int64_t);
    args.output = output.data();
    args.output_bytes = output.size();

    int64_t succeeded = 0, failed = 0, foreign = 0, other_status = 0;
    {
      const Changer changer(index, c.extent);
      for (const Route& route : routes()) {
        garner_plan* created = nullptr;
        if (garner_plan_create(context_for(route), &c.op, &data, &index_tensor, nullptr, &created, nullptr) !=
            GARNER_OK)
          continue;
        const PlanHandle plan(created);
        for (int repeat = 0; repeat < 120; ++repeat) {
          args.max_threads = repeat % 40 == 0 ? 3 : 1;
          std::fill(output.begin(), output.end(), uint8_t{1});
          const garner_status status = garner_plan_execute(plan.get(), &args, nullptr);
          if (status == GARNER_OUT_OF_BOUNDS) {
            ++failed;
          } else if (status != GARNER_OK) {
            ++other_status;
          } else {
            ++succeeded;
            for (const uint8_t byte : output) {
              if ((byte & mark) == 0 && !(byte == 0 && c.op.bounds == GARNER_BOUNDS_ZERO)) ++foreign;
            }
          }
        }
      }
    }
    CAPTURE(c.name, succeeded, failed);
    CHECK(foreign == 0);
    CHECK(other_status == 0);
    CHECK(succeeded + failed >= 240);
    if (c.op.bounds != GARNER_BOUNDS_ERROR) CHECK(failed == 0);
    std::cout << c.name << ": " << succeeded << " succeeded, " << failed << " met a bad index" << std::endl;
  }
}

TEST_CASE("strings while indices change") {
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back(std::string(static_cast<size_t>(i), 'x') + std::to_string(i));
  const int64_t extent = static_cast<int64_t>(texts.size());
  std::vector<int64_t> index(static_cast<size_t>(tuples), 0);
  int64_t succeeded = 0, failed = 0, foreign = 0;
  const Changer changer(index, extent);
  for (const bool owning : {false, true}) {
    std::vector<garner_string_view> views;
    for (const std::string& text : texts) views.push_back({text.data(), text.size()});
    const Shape data_shape = {extent}, index_shape = {tuples, 1};
    garner_tensor data = GARNER_TENSOR_INIT, index_tensor = GARNER_TENSOR_INIT;
    data.dtype = GARNER_STRING;
    data.element_bytes = owning ? sizeof(std::string) : 0;
    data.rank = 1;
    data.shape = data_shape.data();
    index_tensor.dtype = GARNER_INT64;
    index_tensor.rank = 2;
    index_tensor.shape = index_shape.data();
    const garner_op op = gather_nd();
    for (const Route& route : routes()) {
      garner_plan* created = nullptr;
      if (garner_plan_create(context_for(route), &op, &data, &index_tensor, nullptr, &created, nullptr) != GARNER_OK)
        continue;
      const PlanHandle plan(created);
      for (int repeat = 0; repeat < 60; ++repeat) {
        std::vector<std::string> strings(owning ? static_cast<size_t>(tuples) : 0);
        std::vector<garner_string_view> gathered(owning ? 0 : static_cast<size_t>(tuples));
        StringCopier copier;
        garner_args args = arguments();
        args.max_threads = 1;
        args.data = owning ? static_cast<const void*>(texts.data()) : views.data();
        args.data_bytes = texts.size() * (owning ? sizeof(std::string) : sizeof(garner_string_view));
        args.indices = index.data();
        args.indices_bytes = index.size() * sizeof(int64_t);
        args.output = owning ? static_cast<void*>(strings.data()) : gathered.data();
        args.output_bytes = static_cast<size_t>(tuples) * (owning ? sizeof(std::string) : sizeof(garner_string_view));
        args.copy = &StringCopier::copy;
        args.copy_ctx = &copier;
        const garner_status status = garner_plan_execute(plan.get(), &args, nullptr);
        if (status != GARNER_OK) {
          ++failed;
          if (status != GARNER_OUT_OF_BOUNDS) CHECK(status == GARNER_OUT_OF_BOUNDS);
          continue;
        }
        ++succeeded;
        for (const garner_string_view& view : gathered) {
          if (view.size == 0 || view.size >= 52 ||
              view.data != texts[view.size < 11 ? view.size - 1 : view.size - 2].data())
            ++foreign;
        }
        for (const std::string& text : strings) {
          if (text.empty() || text.size() >= 52 || text != texts[text.size() < 11 ? text.size() - 1 : text.size() - 2])
            ++foreign;
        }
      }
    }
  }
  CAPTURE(succeeded, failed);
  CHECK(foreign == 0);
  CHECK(succeeded + failed >= 240);
}
