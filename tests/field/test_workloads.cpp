// SPDX-License-Identifier: Apache-2.0
// The shapes of real models, scaled down where they are large, on every route.
#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

enum class Pattern { random, sorted, repeated_along_last, diagonal };

struct Workload {
  const char* name;
  garner_op op;
  Shape data, indices;
  garner_dtype dtype;
  Pattern pattern;
};

Tensor make_indices(const Workload& workload) {
  std::vector<int64_t> values(static_cast<size_t>(element_count(workload.indices)));
  const bool elements = workload.op.kind == GARNER_GATHER_ELEMENTS_ONNX;
  const int64_t last = workload.indices.back();
  const size_t rank = workload.data.size();
  uint64_t state = 42;
  int64_t repeated = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto column = static_cast<int64_t>(i) % last;
    const size_t axis = elements
                            ? static_cast<size_t>(workload.op.axis < 0 ? workload.op.axis + static_cast<int64_t>(rank)
                                                                       : workload.op.axis)
                            : static_cast<size_t>(workload.op.batch_dims + column);
    const auto extent = static_cast<uint64_t>(workload.data[axis]);
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto random = static_cast<int64_t>((state >> 33) % extent);
    switch (workload.pattern) {
      case Pattern::random: values[i] = random; break;
      case Pattern::sorted: values[i] = static_cast<int64_t>(i * extent / values.size()); break;
      case Pattern::diagonal:
        values[i] = (column + static_cast<int64_t>(i) / last) % static_cast<int64_t>(extent);
        break;
      case Pattern::repeated_along_last:
        if (column == 0) repeated = random;
        values[i] = repeated;
        break;
    }
    if (i % 97 == 5) values[i] -= static_cast<int64_t>(extent);  // the same place, counted from the end
  }
  return indices(workload.indices, values);
}

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> result = {
      {"relative attention", gather_elements(-1), {6, 32, 64}, {6, 32, 32}, GARNER_FLOAT32, Pattern::diagonal},
      {"top queries", gather_elements(1), {1, 840, 64}, {1, 30, 64}, GARNER_FLOAT32, Pattern::repeated_along_last},
      {"top boxes", gather_elements(1), {1, 840, 4}, {1, 300, 4}, GARNER_FLOAT32, Pattern::repeated_along_last},
      {"tiny middle axis", gather_elements(1), {1, 4, 35, 128}, {1, 4, 35, 128}, GARNER_FLOAT32, Pattern::random},
      {"spline flow", gather_elements(-1), {2, 200, 11}, {2, 200, 1}, GARNER_FLOAT32, Pattern::random},
      {"stereo", gather_nd(3), {1, 16, 16, 320}, {1, 16, 16, 1, 1}, GARNER_FLOAT32, Pattern::random},
      {"three coordinates in a batch", gather_nd(1), {2, 8, 14, 14}, {2, 16, 16, 3}, GARNER_INT32, Pattern::random},
      {"masked tokens", gather_nd(1), {3, 32, 768}, {3, 20, 1}, GARNER_FLOAT32, Pattern::sorted},
      {"centers", gather_nd(1), {2, 1024, 2}, {2, 100, 1}, GARNER_FLOAT32, Pattern::random},
      {"boxes", gather_nd(1), {5, 1000, 4}, {5, 100, 1}, GARNER_FLOAT32, Pattern::random},
      {"keypoints", gather_nd(), {1, 48, 48, 17}, {17, 4}, GARNER_FLOAT32, Pattern::random},
      {"point clouds", gather_nd(1), {2, 512, 16}, {2, 512, 16, 1}, GARNER_FLOAT32, Pattern::random},
      {"graph edges", gather_elements(0), {500, 64}, {900, 64}, GARNER_FLOAT32, Pattern::repeated_along_last},
      {"embedding", gather_nd(), {1000, 256}, {1, 64, 1}, GARNER_BFLOAT16, Pattern::random},
      {"beams", gather_nd(), {5, 8, 10, 64}, {5, 1}, GARNER_FLOAT32, Pattern::random},
      {"experts", gather_elements(-1), {1, 128, 128}, {1, 128, 8}, GARNER_FLOAT32, Pattern::random},
      {"position bias", gather_nd(), {169, 3}, {2401, 1}, GARNER_FLOAT32, Pattern::random},
      {"tile of top values", gather_elements(1), {16, 256}, {16, 8}, GARNER_FLOAT32, Pattern::random},
      {"table of 16 bytes", gather_nd(), {16}, {5000, 1}, GARNER_UINT8, Pattern::random},
      {"table of 64 floats", gather_nd(), {64}, {5000, 1}, GARNER_FLOAT32, Pattern::random},
      {"table of 256 words", gather_nd(), {256}, {5000, 1}, GARNER_UINT16, Pattern::random},
      {"image remap", gather_nd(), {100, 25, 10, 15}, {25, 12, 3}, GARNER_FLOAT32, Pattern::random},
      {"stereo shift", gather_elements(3), {1, 3, 20, 64}, {1, 3, 20, 64}, GARNER_FLOAT32, Pattern::diagonal},
      {"strided frames", gather_nd(1), {1, 7200, 2}, {1, 51, 100, 1}, GARNER_FLOAT32, Pattern::sorted},
  };
  return result;
}

}  // namespace

TEST_CASE("shapes of real models") {
  Tally tally;
  for (const Workload& workload : workloads()) {
    INFO(workload.name);
    const Problem problem{workload.op, patterned(workload.dtype, 0, workload.data), make_indices(workload)};
    tally += expect_everywhere(problem, reference(problem));
  }
  CHECK(tally.sharded > 0);
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    CHECK(tally.per_route.count(name(route)) == 1);
  }
}
