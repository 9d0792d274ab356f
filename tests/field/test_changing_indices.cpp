// SPDX-License-Identifier: Apache-2.0
// Another thread changes the index buffer while a gather reads it: any element of data may come out, nothing else, and the
// call ends with success or with OUT_OF_BOUNDS. Only the table's own page exists, so an unchecked offset faults.
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/reservation.h"
#include "tests/support/run.h"

using namespace garner_test;

TEST_CASE("indices that change under a running call") {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  Reservation memory(size_t{1} << 33);
  const size_t middle = (size_t{1} << 32) / page * page;
  auto* table = reinterpret_cast<uint32_t*>(memory.open(middle, page));
  const int64_t extent = static_cast<int64_t>(page / sizeof(uint32_t));
  for (int64_t i = 0; i < extent; ++i) table[i] = 0xABC00000u + static_cast<uint32_t>(i);

  constexpr size_t tuples = 4096;
  std::vector<int64_t> index(tuples, 0);
  std::vector<uint32_t> output(tuples);
  Tensor data;
  data.dtype = GARNER_UINT32;
  data.shape = {extent};
  const Tensor index_shape = indices({static_cast<int64_t>(tuples), 1}, {});
  const garner_op op = gather_nd();
  const garner_tensor data_tensor = data.descriptor(), index_tensor = index_shape.descriptor();

  std::atomic<bool> stop{false};
  std::thread changer([&] {
    // Legal values nearly always, so that calls get far; wild ones now and then.
    const int64_t wild[] = {extent, -extent - 1, int64_t{1} << 30, INT64_MIN, INT64_MAX, int64_t{1} << 32};
    uint64_t state = 1;
    while (!stop.load(std::memory_order_relaxed)) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const size_t place = (state >> 33) % tuples;
      std::atomic_ref<int64_t> value(index[place]);
      value.store(wild[(state >> 20) % 6], std::memory_order_relaxed);
      value.store(static_cast<int64_t>((state >> 40) % static_cast<uint64_t>(extent)), std::memory_order_relaxed);
    }
  });

  garner_args args = arguments();
  args.max_threads = 1;
  args.data = table;
  args.data_bytes = page;
  args.indices = index.data();
  args.indices_bytes = tuples * sizeof(int64_t);
  args.output = output.data();
  args.output_bytes = tuples * sizeof(uint32_t);

  int succeeded = 0, failed = 0;
  for (const Route& route : routes()) {
    garner_plan* created = nullptr;
    if (garner_plan_create(context_for(route), &op, &data_tensor, &index_tensor, nullptr, &created, nullptr) !=
        GARNER_OK)
      continue;
    const PlanHandle plan(created);
    for (int repeat = 0; repeat < 400; ++repeat) {
      std::memset(output.data(), 0, args.output_bytes);
      const garner_status status = garner_plan_execute(plan.get(), &args, nullptr);
      if (status == GARNER_OK) {
        ++succeeded;
        bool all_from_data = true;
        for (uint32_t value : output)
          all_from_data = all_from_data && value - 0xABC00000u < static_cast<uint32_t>(extent);
        if (!all_from_data) CHECK(all_from_data);
      } else {
        ++failed;
        if (status != GARNER_OUT_OF_BOUNDS) CHECK(status == GARNER_OUT_OF_BOUNDS);
      }
    }
  }
  stop = true;
  changer.join();
  CAPTURE(succeeded, failed);
  CHECK(succeeded + failed >= 400);
  // How many calls met a wild value is the scheduler's choice. The last store left a legal one everywhere.
  CHECK(garner_execute(nullptr, &op, &data_tensor, &index_tensor, nullptr, &args, nullptr) == GARNER_OK);
}
