// SPDX-License-Identifier: Apache-2.0
#include "tests/property/gather_case.h"

namespace garner_test {
namespace {

garner_tensor descriptor(const TensorCase& tensor, garner_dtype dtype, int64_t declared_bytes) {
  garner_tensor result = GARNER_TENSOR_INIT;
  result.dtype = dtype;
  result.element_bytes = declared_bytes;
  result.rank = static_cast<int32_t>(tensor.shape.size());
  result.shape = tensor.shape.data();
  result.strides = tensor.pass_strides ? tensor.strides.data() : nullptr;
  result.byte_offset = tensor.byte_offset;
  return result;
}

std::string join(const Shape& values, char separator) {
  if (values.empty()) return "scalar";
  std::string text;
  for (const int64_t value : values) {
    if (!text.empty()) text += separator;
    text += std::to_string(value);
  }
  return text;
}

std::string layout(const char* name, const TensorCase& tensor) {
  std::string text = std::string(":") + name + "_strides=";
  text += tensor.pass_strides ? join(tensor.strides, ',') : std::string("dense");
  return text + ":" + name + "_offset=" + std::to_string(tensor.byte_offset) + ":" + name +
         "_bytes=" + std::to_string(tensor.buffer_bytes);
}

const char* operator_name(int32_t kind) {
  switch (kind) {
    case GARNER_GATHER_ND_OPENVINO_5: return "gathernd@openvino-5";
    case GARNER_GATHER_ND_OPENVINO_8: return "gathernd@openvino-8";
    case GARNER_GATHER_ELEMENTS_ONNX: return "gatherelements";
    default: return "gathernd";
  }
}

}  // namespace

Call::Call(const GatherCase& c)
    : data(descriptor(c.data, c.dtype, c.declared_element_bytes)),
      indices(descriptor(c.indices, c.index_dtype, 0)),
      output(descriptor(c.output, c.dtype, c.declared_element_bytes)),
      pass_output(c.pass_output) {
  op.kind = c.kind;
  op.batch_dims = c.batch_dims;
  op.axis = c.axis;
  op.bounds = c.bounds;
  op.negative = c.negative;
}

bool next_position(Shape& position, const Shape& shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++position[d] < shape[d]) return true;
    position[d] = 0;
  }
  return false;
}

int64_t byte_distance(const TensorCase& tensor, const Shape& position) {
  int64_t distance = 0;
  for (size_t d = 0; d < position.size(); ++d) {
    if (position[d] != 0) distance += position[d] * tensor.strides[d] * tensor.element_bytes;
  }
  return distance;
}

Interval touched_bytes(const TensorCase& tensor) {
  if (element_count(tensor.shape) == 0) return {0, 0};
  Interval interval{0, tensor.element_bytes};
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] < 2) continue;
    const int64_t reach = (tensor.shape[d] - 1) * tensor.strides[d] * tensor.element_bytes;
    (reach < 0 ? interval.low : interval.high) += reach;
  }
  return interval;
}

std::string describe(const GatherCase& c) {
  static const char* const bounds[] = {"error", "clamp", "zero"};
  static const char* const negative[] = {"default", "on", "off"};
  std::string text = operator_name(c.kind);
  text.append(":").append(garner_dtype_name(c.dtype));
  text.append("(").append(std::to_string(c.data.element_bytes)).append(" bytes):");
  text.append(join(c.data.shape, 'x')).append(":");
  text.append(garner_dtype_name(c.index_dtype)).append(":").append(join(c.indices.shape, 'x'));
  if (is_gather_elements(c)) {
    text += ":axis=" + std::to_string(c.axis);
  } else {
    text += ":batch_dims=" + std::to_string(c.batch_dims);
  }
  text += std::string(":bounds=") + bounds[c.bounds] + ":wrap=" + negative[c.negative] + ":pattern=" + c.pattern;
  text += layout("data", c.data) + layout("indices", c.indices);
  text += c.pass_output ? layout("output", c.output) : std::string(":output=default");
  return text;
}

}  // namespace garner_test
