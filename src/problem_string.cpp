// SPDX-License-Identifier: Apache-2.0
#include "src/problem_string.h"

#include "src/dtype.h"

namespace garner {
namespace {

const char* operator_name(int32_t kind) {
  switch (kind) {
    case GARNER_GATHER_ND_OPENVINO_5: return "gathernd@openvino-5";
    case GARNER_GATHER_ND_OPENVINO_8: return "gathernd@openvino-8";
    case GARNER_GATHER_ELEMENTS_ONNX: return "gatherelements";
    default: return "gathernd";
  }
}

void write_tensor(TextWriter& text, const Tensor& tensor) {
  write_short_dtype(text, tensor.dtype, tensor.element_bytes);
  text << ':';
  write_shape(text, tensor);
}

void write_strides(TextWriter& text, const char* key, const Tensor& tensor) {
  if (!tensor.strided || tensor.rank == 0) return;
  int64_t strides[max_rank];
  for (int32_t d = 0; d < tensor.rank; ++d) strides[d] = tensor.strides[d] / tensor.element_bytes;
  text << ':' << key << '=';
  text.list({strides, tensor.rank}, 'x');
}

}  // namespace

void write_shape(TextWriter& text, const Tensor& tensor) {
  if (tensor.rank == 0) {
    text << "scalar";
  } else {
    text.list({tensor.shape, tensor.rank}, 'x');
  }
}

void write_problem(TextWriter& text, const Operation& operation) {
  text << operator_name(operation.kind) << ':';
  write_tensor(text, operation.data);
  text << ':';
  write_tensor(text, operation.indices);
  if (operation.batch_dims != 0) text << ":batch_dims=" << operation.batch_dims;
  if (operation.axis != 0) text << ":axis=" << operation.axis;
  if (operation.bounds == Bounds::clamp) text << ":bounds=clamp";
  if (operation.bounds == Bounds::zero) text << ":bounds=zero";
  const bool rejects_by_default = operation.kind == GARNER_GATHER_ND_OPENVINO_5;
  const bool rejects = operation.negative == Negative::reject;
  if (rejects != rejects_by_default) text << (rejects ? ":wrap=off" : ":wrap=on");
  write_strides(text, "data_strides", operation.data);
  write_strides(text, "indices_strides", operation.indices);
  write_strides(text, "output_strides", operation.output);
  if (operation.data_footprint.low > 0) text << ":offset=" << operation.data_footprint.low;
}

}  // namespace garner
