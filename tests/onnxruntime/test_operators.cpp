// SPDX-License-Identifier: Apache-2.0
// garner's operators in ONNX Runtime: the conformance vectors beside ONNX Runtime's own operators, shapes at load time,
// errors, threads, and models that scripts/onnx-use-garner.py has turned.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "tests/onnxruntime/onnx_model.h"
#include "tests/onnxruntime/session.h"
#include "tests/support/cases.h"
#include "tests/support/catch.h"

using namespace garner_test;
using nlohmann::json;

namespace {

// What ONNX Runtime makes tensors of.
bool is_runtime_type(garner_dtype dtype) {
  return dtype <= GARNER_FLOAT64 || dtype == GARNER_UINT32 || dtype == GARNER_UINT64 || dtype == GARNER_BFLOAT16;
}

OneNode node_of(const std::string& domain, const garner_op& op, garner_dtype dtype, garner_dtype index_dtype) {
  const bool elements = op.kind == GARNER_GATHER_ELEMENTS_ONNX;
  OneNode node;
  node.domain = domain;
  node.op_type = elements ? "GatherElements" : "GatherND";
  node.attribute = elements ? "axis" : "batch_dims";
  node.value = elements ? op.axis : op.batch_dims;
  node.dtype = dtype;
  node.index_dtype = index_dtype;
  return node;
}

// Sessions without declared shapes, one for each kind of node.
const Session& session_for(const OneNode& node) {
  static std::map<std::tuple<std::string, std::string, int64_t, garner_dtype, garner_dtype>, std::unique_ptr<Session>>
      sessions;
  auto& session = sessions[{node.domain, node.op_type, node.value, node.dtype, node.index_dtype}];
  if (!session) session = std::make_unique<Session>(onnx_model(node));
  return *session;
}

bool is_right(const RunResult& result, const Expected& expected) {
  if (result.code != ORT_OK || result.shape != expected.shape) return false;
  return expected.strings ? result.strings == *expected.strings : result.bytes == expected.output;
}

struct Count {
  int cases = 0, other_types = 0, values = 0, errors = 0, own_right = 0, own_differs = 0, own_refuses = 0;
};

// The kernels of ONNX Runtime itself. Models that it does not load, for a type that its operator lacks, are counted.
void run_own(const garner_op& op, const Tensor& data, const std::vector<std::string>& strings, const Tensor& indices,
             const Expected& expected, const std::string& id, Count& count) {
  try {
    const RunResult own = session_for(node_of("", op, data.dtype, indices.dtype)).run(data, strings, indices);
    const bool agrees = expected.status == GARNER_OK ? is_right(own, expected) : own.code != ORT_OK;
    ++(agrees ? count.own_right : count.own_differs);
    if (!agrees) std::cout << "  ONNX Runtime's own operator differs: " << id << " " << own.message << std::endl;
  } catch (const std::exception&) {
    ++count.own_refuses;
  }
}

void run_file(const char* name, Count& count) {
  for_each_line(std::string(GARNER_TEST_VECTORS) + "/" + name, [&](const json& line) {
    if (line.at("version").get<std::string>().rfind("onnx", 0) != 0) return;
    const std::string id = line.at("id");
    INFO(id);
    const garner_op op = op_of(line);
    std::vector<std::string> strings, none;
    const Tensor data = tensor_of(line.at("data"), strings), indices = tensor_of(line.at("indices"), none);
    if (!is_runtime_type(data.dtype) || (indices.dtype != GARNER_INT64 && indices.dtype != GARNER_INT32)) {
      ++count.other_types;
      return;
    }
    const Expected expected = expected_of(line.at("expect"), data.dtype, positions_of(op, indices.shape));
    ++count.cases;

    const RunResult result = session_for(node_of("garner", op, data.dtype, indices.dtype)).run(data, strings, indices);
    INFO(result.message);
    if (expected.status == GARNER_OK) {
      ++count.values;
      CHECK(is_right(result, expected));
    } else {
      ++count.errors;
      CHECK(result.code == (expected.status == GARNER_UNSUPPORTED ? ORT_NOT_IMPLEMENTED : ORT_INVALID_ARGUMENT));
      CHECK(result.message.find("gather") != std::string::npos);  // the node's name
      if (expected.status == GARNER_OUT_OF_BOUNDS && expected.also.empty()) {
        CHECK(result.message.find("is out of bounds for axis") != std::string::npos);
      }
    }
    // What it must take and what it must refuse; on wrong shapes and empty axes ONNX Runtime 1.21 ends the process.
    const bool is_empty = std::count(data.shape.begin(), data.shape.end(), 0) > 0;
    if (expected.status == GARNER_OK || (expected.status == GARNER_OUT_OF_BOUNDS && !is_empty)) {
      run_own(op, data, strings, indices, expected, id, count);
    }
  });
}

int thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

Tensor long_indices(int64_t count, int64_t extent) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7919) % extent;
  return indices({count, 1}, values);
}

}  // namespace

TEST_CASE("conformance vectors beside ONNX Runtime's own operators") {
  Count count;
  run_file("mined.jsonl", count);
  run_file("generated.jsonl", count);
  std::cout << "ONNX Runtime " << runtime_version() << ": " << count.cases << " cases, " << count.values
            << " with values, " << count.errors << " with errors; " << count.other_types
            << " of types that it has no tensors of. Its own operators: " << count.own_right << " the same, "
            << count.own_differs << " differ, " << count.own_refuses << " not loaded" << std::endl;
  CHECK(count.values > 500);
  CHECK(count.errors > 50);
  CHECK(count.own_right > 500);
}

TEST_CASE("shapes are inferred when a model is loaded") {
  OneNode node = node_of("garner", gather_nd(1), GARNER_FLOAT32, GARNER_INT64);
  node.data_shape = Shape{2, 3, 4, 5};
  node.indices_shape = Shape{2, 7, 2};
  CHECK(Session(onnx_model(node)).output_shape() == Shape{2, 7, 5});
  node.attribute = "";  // batch_dims is 0 then
  CHECK(Session(onnx_model(node)).output_shape() == Shape{2, 7, 4, 5});

  node = node_of("garner", gather_elements(1), GARNER_STRING, GARNER_INT32);
  node.data_shape = Shape{2, 3};
  node.indices_shape = Shape{2, 9};
  CHECK(Session(onnx_model(node)).output_shape() == Shape{2, 9});
}

TEST_CASE("a bad index is an error of ONNX Runtime that says which") {
  const OneNode node = node_of("garner", gather_nd(), GARNER_FLOAT32, GARNER_INT64);
  const Tensor data = arange<float>({2, 3});
  const RunResult result = session_for(node).run(data, {}, indices({2, 2}, {1, 2, 1, 3}));
  CHECK(result.code == ORT_INVALID_ARGUMENT);
  INFO(result.message);
  CHECK(result.message.find("indices[1,1] = 3 is out of bounds for axis 1 of data, extent 3 (allowed -3..2)") !=
        std::string::npos);
  // The session can be run again.
  CHECK(session_for(node).run(data, {}, indices({1, 2}, {1, 2})).bytes == bytes_of<float>({5}));
}

TEST_CASE("a type without an operator is refused when the model is loaded") {
  CHECK_THROWS(Session(onnx_model(node_of("garner", gather_nd(), GARNER_FLOAT32, GARNER_UINT8))));
}

TEST_CASE("large gathers start no threads of their own") {
  const OneNode node = node_of("garner", gather_nd(), GARNER_FLOAT32, GARNER_INT64);
  const Session session(onnx_model(node), 4);
  const Tensor data = arange<float>({5000});
  const Tensor where = long_indices(1000000, 5000);
  const int before = thread_count();
  const RunResult result = session.run(data, {}, where);
  CHECK(thread_count() == before);
  REQUIRE(result.code == ORT_OK);
  const std::vector<float> values = values_of<float>(result.bytes);
  const std::vector<int64_t> places = values_of<int64_t>(where.bytes);
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i) wrong += values[i] != static_cast<float>(places[i]);
  CHECK(wrong == 0);
}

TEST_CASE("many strings are copied") {
  const OneNode node = node_of("garner", gather_nd(), GARNER_STRING, GARNER_INT64);
  const Session session(onnx_model(node), 4);
  std::vector<std::string> words;
  for (int i = 0; i < 1000; ++i) words.push_back(std::string(static_cast<size_t>(i % 40), 'a') + std::to_string(i));
  Tensor data;
  data.dtype = GARNER_STRING;
  data.shape = {1000};
  const Tensor where = long_indices(200000, 1000);
  const RunResult result = session.run(data, words, where);
  INFO(result.message);
  REQUIRE(result.code == ORT_OK);
  const std::vector<int64_t> places = values_of<int64_t>(where.bytes);
  REQUIRE(result.strings.size() == places.size());
  size_t wrong = 0;
  for (size_t i = 0; i < places.size(); ++i) wrong += result.strings[i] != words[static_cast<size_t>(places[i])];
  CHECK(wrong == 0);
}

TEST_CASE("a model that the script turns gives what it gave, and turned back it is the same file") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("garner-turn-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const auto turn = [&](const std::string& arguments) {
    return std::system(("python3 " GARNER_TEST_TURN " " + arguments + " >" + path("log")).c_str());
  };
  const auto read = [&](const char* name) {
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const Tensor data = arange<float>({3, 4}), where = indices({2, 2}, {2, 3, 0, -1}),
               columns = indices({3, 1}, {3, 0, -1});
  for (const garner_op& op : {gather_nd(), gather_elements(1)}) {
    const std::string model = onnx_model(node_of("", op, GARNER_FLOAT32, GARNER_INT64));
    std::ofstream(path("standard.onnx"), std::ios::binary) << model;
    REQUIRE(turn(path("standard.onnx") + " " + path("turned.onnx")) == 0);
    CHECK(read("log") == "1 nodes turned\n");
    const std::string turned = read("turned.onnx");
    CHECK(turned == onnx_model(node_of("garner", op, GARNER_FLOAT32, GARNER_INT64)));
    const Tensor& at = op.kind == GARNER_GATHER_ELEMENTS_ONNX ? columns : where;
    const RunResult own = Session(model).run(data, {}, at), result = Session(turned).run(data, {}, at);
    CHECK(result.code == ORT_OK);
    CHECK(result.shape == own.shape);
    CHECK(result.bytes == own.bytes);
    REQUIRE(turn("--back " + path("turned.onnx") + " " + path("back.onnx")) == 0);
    CHECK(read("back.onnx") == model);
  }
  std::filesystem::remove_all(folder);
}
