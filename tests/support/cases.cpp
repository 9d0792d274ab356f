// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cases.h"

#include <fstream>
#include <stdexcept>

#include "tests/support/encode.h"

namespace garner_test {

void for_each_line(const std::string& path, const std::function<void(const nlohmann::json&)>& visit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    try {
      visit(nlohmann::json::parse(line));
    } catch (const std::exception& problem) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + problem.what());
    }
  }
}

garner_op op_of(const nlohmann::json& line) {
  const nlohmann::json& attributes = line.at("attrs");
  const std::string version = line.at("version");
  if (line.at("op") == "gather_elements") return gather_elements(attributes.at("axis").get<int64_t>());
  int32_t kind = GARNER_GATHER_ND_ONNX;
  if (version == "openvino-5") {
    kind = GARNER_GATHER_ND_OPENVINO_5;
  } else if (version == "openvino-8") {
    kind = GARNER_GATHER_ND_OPENVINO_8;
  } else if (version.rfind("onnx-", 0) != 0) {
    throw std::runtime_error("unknown version " + version);
  }
  return gather_nd(attributes.at("batch_dims").get<int64_t>(), kind);
}

Shape shape_of(const nlohmann::json& array) { return array.get<Shape>(); }

Tensor tensor_of(const nlohmann::json& tensor, std::vector<std::string>& storage) {
  Tensor result;
  result.dtype = dtype_by_name(tensor.at("dtype"));
  result.shape = shape_of(tensor.at("shape"));
  const nlohmann::json& values = tensor.at("values");
  if (result.dtype == GARNER_STRING) {
    storage = values.get<std::vector<std::string>>();
    std::vector<garner_string_view> views;
    for (const std::string& text : storage) views.push_back({text.data(), text.size()});
    result.bytes = bytes_of(views);
  } else {
    for (const nlohmann::json& value : values) append_element(result.bytes, result.dtype, value);
  }
  return result;
}

garner_status status_of_kind(const std::string& kind) {
  if (kind == "index_out_of_bounds") return GARNER_OUT_OF_BOUNDS;
  if (kind == "invalid_shape") return GARNER_INVALID_SHAPE;
  if (kind == "invalid_axis" || kind == "invalid_batch_dims") return GARNER_INVALID_ARGUMENT;
  if (kind == "unsupported_type") return GARNER_UNSUPPORTED;
  throw std::runtime_error("unknown kind of error: " + kind);
}

Shape positions_of(const garner_op& op, const Shape& indices_shape) {
  Shape positions = indices_shape;
  if (op.kind != GARNER_GATHER_ELEMENTS_ONNX && !positions.empty()) positions.pop_back();
  return positions;
}

Expected expected_of(const nlohmann::json& expect, garner_dtype data_dtype, const Shape& positions) {
  Expected expected;
  if (expect.contains("output")) {
    const nlohmann::json& output = expect.at("output");
    expected.shape = shape_of(output.at("shape"));
    if (data_dtype == GARNER_STRING) {
      expected.strings = output.at("values").get<std::vector<std::string>>();
    } else {
      for (const nlohmann::json& value : output.at("values")) append_element(expected.output, data_dtype, value);
    }
    return expected;
  }
  expected.status = status_of_kind(expect.at("error"));
  if (expect.contains("also")) {
    for (const nlohmann::json& kind : expect.at("also")) expected.also.push_back(status_of_kind(kind));
  }
  if (expected.status == GARNER_OUT_OF_BOUNDS) {
    const Shape at = shape_of(expect.at("at"));
    if (at.size() != positions.size()) throw std::runtime_error("\"at\" does not fit the shape of indices");
    for (size_t d = 0; d < at.size(); ++d) expected.position = expected.position * positions[d] + at[d];
  }
  return expected;
}

}  // namespace garner_test
