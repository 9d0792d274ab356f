// SPDX-License-Identifier: Apache-2.0
// Shape inference when a model is loaded, as far as extents are known then. Without it the session would not know the rank
// of its outputs.
#include <atomic>

#include "src/onnxruntime/operators.h"

namespace garner::onnxruntime {
namespace {

// This callback alone is not handed the functions of the runtime.
std::atomic<const OrtApi*> inference_api{nullptr};

// Extents, -1 where one is not known, and the name that the model gives it.
struct Dims {
  int64_t extents[GARNER_MAX_RANK];
  const char* names[GARNER_MAX_RANK];
  size_t rank = 0;

  void append(int64_t extent, const char* name) {
    extents[rank] = extent;
    names[rank++] = name;
  }
};

OrtStatus* read_input(const OrtApi& api, const OrtShapeInferContext* context, size_t input, Dims& dims,
                      ONNXTensorElementDataType& type) {
  OrtTensorTypeAndShapeInfo* info = nullptr;  // the context's
  if (OrtStatus* status = api.ShapeInferContext_GetInputTypeShape(context, input, &info)) return status;
  if (OrtStatus* status = api.GetTensorElementType(info, &type)) return status;
  size_t rank = 0;
  if (OrtStatus* status = api.GetDimensionsCount(info, &rank)) return status;
  if (rank > GARNER_MAX_RANK) return nullptr;
  if (OrtStatus* status = api.GetDimensions(info, dims.extents, rank)) return status;
  if (OrtStatus* status = api.GetSymbolicDimensions(info, dims.names, rank)) return status;
  dims.rank = rank;
  return nullptr;
}

// The node's attribute; 0 if it has none.
int64_t read_attribute(const OrtApi& api, const OrtShapeInferContext* context, const char* name) {
  const OrtOpAttr* attribute = nullptr;
  int64_t value = 0;
  size_t bytes = 0;
  OrtStatus* status = api.ShapeInferContext_GetAttribute(context, name, &attribute);
  if (status == nullptr && attribute != nullptr) {
    status = api.ReadOpAttr(attribute, ORT_OP_ATTR_INT, &value, sizeof(value), &bytes);
  }
  if (status == nullptr) return value;
  api.ReleaseStatus(status);
  return 0;
}

// False where the rank of the output is not known.
bool output_dims(int32_t kind, int64_t batch_dims, const Dims& data, const Dims& indices, Dims& output) {
  if (indices.rank == 0 || data.rank == 0) return false;  // also said of a rank that is not known
  if (kind == GARNER_GATHER_ELEMENTS_ONNX) {
    output = indices;
    return true;
  }
  const int64_t depth = indices.extents[indices.rank - 1];
  if (depth < 1 || batch_dims < 0 || batch_dims + depth > static_cast<int64_t>(data.rank)) return false;
  const size_t first = static_cast<size_t>(batch_dims + depth);
  if (indices.rank - 1 + data.rank - first > GARNER_MAX_RANK) return false;
  for (size_t i = 0; i + 1 < indices.rank; ++i) output.append(indices.extents[i], indices.names[i]);
  for (size_t i = first; i < data.rank; ++i) output.append(data.extents[i], data.names[i]);
  return true;
}

OrtStatus* fill(const OrtApi& api, OrtShapeInferContext* context, OrtTensorTypeAndShapeInfo* info, Dims& output,
                ONNXTensorElementDataType type) {
  if (OrtStatus* status = api.SetTensorElementType(info, type)) return status;
  if (OrtStatus* status = api.SetDimensions(info, output.extents, output.rank)) return status;
  if (OrtStatus* status = api.SetSymbolicDimensions(info, output.names, output.rank)) return status;
  return api.ShapeInferContext_SetOutputTypeShape(context, 0, info);
}

}  // namespace

void set_inference_api(const OrtApi* api) { inference_api.store(api, std::memory_order_release); }

// What is wrong with the shapes is not said here: it may be a branch that never runs. The kernel says it.
OrtStatus* infer_output_shape(const OrtCustomOp* op, OrtShapeInferContext* context) {
  const OrtApi& api = *inference_api.load(std::memory_order_acquire);
  const int32_t kind = static_cast<const CustomOp*>(op)->kind;
  Dims data, indices, output;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, index_type = type;
  if (OrtStatus* status = read_input(api, context, 0, data, type)) return status;
  if (OrtStatus* status = read_input(api, context, 1, indices, index_type)) return status;
  if (!output_dims(kind, read_attribute(api, context, attribute_name(kind)), data, indices, output)) return nullptr;
  OrtTensorTypeAndShapeInfo* info = nullptr;
  if (OrtStatus* status = api.CreateTensorTypeAndShapeInfo(&info)) return status;
  OrtStatus* status = fill(api, context, info, output, type);
  api.ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

}  // namespace garner::onnxruntime
