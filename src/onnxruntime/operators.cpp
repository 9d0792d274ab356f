// SPDX-License-Identifier: Apache-2.0
#include "src/onnxruntime/operators.h"

#include <iterator>

namespace garner::onnxruntime {
namespace {

// Every type of which ONNX Runtime makes tensors with whole bytes.
constexpr ONNXTensorElementDataType elements[] = {
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8,         ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16,        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,        ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL,         ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,       ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64,       ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2,   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ};
constexpr ONNXTensorElementDataType indices[] = {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
                                                 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32};
// garner's numbers of types are ONNX Runtime's.
static_assert(static_cast<int>(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) == GARNER_STRING);
static_assert(static_cast<int>(ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16) == GARNER_BFLOAT16);
static_assert(static_cast<int>(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ) == GARNER_FLOAT8E5M2FNUZ);

constexpr int32_t kinds[] = {GARNER_GATHER_ND_ONNX, GARNER_GATHER_ELEMENTS_ONNX};

const CustomOp& self(const OrtCustomOp* op) { return *static_cast<const CustomOp*>(op); }

const char* name(const OrtCustomOp* op) {
  return self(op).kind == GARNER_GATHER_ELEMENTS_ONNX ? "GatherElements" : "GatherND";
}

CustomOp make(int32_t kind, ONNXTensorElementDataType element, ONNXTensorElementDataType index) {
  CustomOp op = {};
  op.version = api_version;
  op.GetName = name;
  op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };  // the CPU's
  op.GetInputTypeCount = [](const OrtCustomOp*) -> size_t { return 2; };
  op.GetInputType = [](const OrtCustomOp* o, size_t i) { return i == 0 ? self(o).element : self(o).index; };
  op.GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op.GetOutputType = [](const OrtCustomOp* o, size_t) { return self(o).element; };
  op.GetInputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
  // Asked although nothing is variadic.
  op.GetVariadicInputMinArity = [](const OrtCustomOp*) { return 0; };
  op.GetVariadicInputHomogeneity = [](const OrtCustomOp*) { return 0; };
  op.GetVariadicOutputMinArity = [](const OrtCustomOp*) { return 0; };
  op.GetVariadicOutputHomogeneity = [](const OrtCustomOp*) { return 0; };
  op.GetStartVersion = [](const OrtCustomOp*) { return 1; };
  op.GetEndVersion = [](const OrtCustomOp*) { return INT32_MAX; };
  op.InferOutputShapeFn = infer_output_shape;
  op.CreateKernelV2 = create_kernel;
  op.KernelComputeV2 = compute;
  op.KernelDestroy = destroy_kernel;
  op.kind = kind;
  op.element = element;
  op.index = index;
  return op;
}

struct Table {
  CustomOp ops[std::size(kinds) * std::size(elements) * std::size(indices)];
  Table() {
    CustomOp* next = ops;
    for (const int32_t kind : kinds)
      for (const ONNXTensorElementDataType element : elements)
        for (const ONNXTensorElementDataType index : indices) *next++ = make(kind, element, index);
  }
};

}  // namespace

std::span<const CustomOp> custom_ops() {
  static const Table table;
  return table.ops;
}

const char* attribute_name(int32_t kind) { return kind == GARNER_GATHER_ELEMENTS_ONNX ? "axis" : "batch_dims"; }

}  // namespace garner::onnxruntime
