// SPDX-License-Identifier: Apache-2.0
#include "tests/onnxruntime/onnx_model.h"

namespace garner_test {
namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value > 0x7F; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(uint32_t field, int64_t value) { return varint(field << 3) + varint(static_cast<uint64_t>(value)); }
std::string text(uint32_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}

// ValueInfoProto: name 1, type 2 { tensor_type 1 { elem_type 1, shape 2 { dim 1 { dim_value 1 } } } }
std::string value_info(const std::string& name, garner_dtype dtype, const std::optional<Shape>& shape) {
  std::string tensor = number(1, dtype);
  if (shape) {
    std::string dims;
    for (const int64_t extent : *shape) dims += text(1, number(1, extent));
    tensor += text(2, dims);
  }
  return text(1, name) + text(2, text(1, tensor));
}

// OperatorSetIdProto: domain 1, version 2
std::string opset(const std::string& domain, int64_t version) { return text(1, domain) + number(2, version); }

}  // namespace

std::string onnx_model(const OneNode& node) {
  constexpr int64_t attribute_is_int = 2;
  // NodeProto: input 1, output 2, name 3, op_type 4, attribute 5 { name 1, i 3, type 20 }, domain 7
  std::string gather =
      text(1, "data") + text(1, "indices") + text(2, "output") + text(3, "gather") + text(4, node.op_type);
  if (!node.attribute.empty()) {
    gather += text(5, text(1, node.attribute) + number(3, node.value) + number(20, attribute_is_int));
  }
  if (!node.domain.empty()) gather += text(7, node.domain);
  // GraphProto: node 1, name 2, input 11, output 12
  const std::string graph = text(1, gather) + text(2, "one_node") +
                            text(11, value_info("data", node.dtype, node.data_shape)) +
                            text(11, value_info("indices", node.index_dtype, node.indices_shape)) +
                            text(12, value_info("output", node.dtype, std::nullopt));
  // ModelProto: ir_version 1, graph 7, opset_import 8
  std::string model = number(1, 8) + text(7, graph) + text(8, opset("", 13));
  if (!node.domain.empty()) model += text(8, opset(node.domain, 1));
  return model;
}

}  // namespace garner_test
