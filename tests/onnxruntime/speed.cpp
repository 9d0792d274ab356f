// SPDX-License-Identifier: Apache-2.0
// How long a node takes in ONNX Runtime, with its own operator and with garner's, in turns. Not a test, and not run as one:
//   GARNER_TEST_ONNXRUNTIME=libonnxruntime.so garner_test_onnxruntime "[.speed]"
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/onnxruntime/onnx_model.h"
#include "tests/onnxruntime/session.h"
#include "tests/support/catch.h"

using namespace garner_test;

namespace {

struct Workload {
  const char* name;
  const char* op_type;
  int64_t attribute;
  Shape data, indices;
  int64_t extent;  // of the axes that are addressed
};

const Workload workloads[] = {
    {"one element of 64 KB, 1M times", "GatherND", 0, {16384}, {1000000, 1}, 16384},
    {"one element of 64x64, 1000 times", "GatherND", 0, {64, 64}, {1000, 2}, 64},
    {"rows of 256 floats, 4096 times", "GatherND", 0, {8192, 256}, {4096, 1}, 8192},
    {"rows of 16 floats, 65536 times", "GatherND", 0, {8192, 16}, {65536, 1}, 8192},
    {"8 batches of 300 boxes of 4", "GatherND", 1, {8, 8400, 4}, {8, 300, 1}, 8400},
    {"GatherElements, last axis", "GatherElements", 1, {1000, 1000}, {1000, 1000}, 1000},
    {"GatherElements, first axis", "GatherElements", 0, {1000, 1000}, {1000, 1000}, 1000},
    {"16 elements", "GatherND", 0, {100}, {16, 1}, 100},
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

TEST_CASE("speed beside ONNX Runtime's own operators", "[.speed]") {
  constexpr int rounds = 15;
  std::printf("ONNX Runtime %s, microseconds a run, median of %d rounds (least)\n", runtime_version().c_str(), rounds);
  for (const int threads : {1, 2}) {
    for (const Workload& workload : workloads) {
      OneNode node;
      node.op_type = workload.op_type;
      node.attribute = node.op_type == "GatherND" ? "batch_dims" : "axis";
      node.value = workload.attribute;
      const Session own(onnx_model(node), threads);
      node.domain = "garner";
      const Session garner(onnx_model(node), threads);
      const Tensor data = arange<float>(workload.data);
      std::vector<int64_t> places(static_cast<size_t>(element_count(workload.indices)));
      uint64_t state = 1;
      for (int64_t& place : places) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        place = static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(workload.extent));
      }
      const Tensor where = indices(workload.indices, places);
      const int runs = std::max(1, static_cast<int>(0.01 / own.seconds(data, where, 3)));
      std::vector<double> own_times, garner_times;
      for (int round = 0; round < rounds; ++round) {
        own_times.push_back(own.seconds(data, where, runs) * 1e6);
        garner_times.push_back(garner.seconds(data, where, runs) * 1e6);
      }
      CHECK(own.run(data, {}, where).bytes == garner.run(data, {}, where).bytes);
      std::printf("%d thread%s  %-34s own %10.1f (%.1f)  garner %10.1f (%.1f)\n", threads, threads == 1 ? " " : "s",
                  workload.name, median(own_times), *std::min_element(own_times.begin(), own_times.end()),
                  median(garner_times), *std::min_element(garner_times.begin(), garner_times.end()));
    }
  }
}
