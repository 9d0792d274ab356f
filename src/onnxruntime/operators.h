// SPDX-License-Identifier: Apache-2.0
// GatherND and GatherElements of the domain "garner" as ONNX Runtime sees them: names, types, and what runs them.
#pragma once

#include <onnxruntime_c_api.h>

#include <garner/garner.h>

#include <cstdint>
#include <span>

namespace garner::onnxruntime {

// The lowest that has all calls used here: an adapter that asks for more is refused by older runtimes. Never
// ORT_API_VERSION, which is whatever header the build found.
inline constexpr uint32_t api_version = 17;

// One object for each pair of types, all under the operator's name: how ONNX Runtime is told which types there are.
struct CustomOp : OrtCustomOp {
  int32_t kind;  // GARNER_GATHER_ND_ONNX or GARNER_GATHER_ELEMENTS_ONNX
  ONNXTensorElementDataType element;
  ONNXTensorElementDataType index;
};

// All of them, made on first use. They live as long as the process, since sessions keep pointers to them.
std::span<const CustomOp> custom_ops();

// The one attribute of a node; a node without it means 0.
const char* attribute_name(int32_t kind);

// shapes.cpp
OrtStatus* infer_output_shape(const OrtCustomOp* op, OrtShapeInferContext* context);
void set_inference_api(const OrtApi* api);

// kernel.cpp
OrtStatus* create_kernel(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info, void** kernel);
OrtStatus* compute(void* kernel, OrtKernelContext* context);
void destroy_kernel(void* kernel);

// strings.cpp. Owning strings are reached by number through ONNX Runtime's functions; garner sees addresses only and moves no
// byte. The callback's ctx is one of these.
struct StringCopy {
  const OrtApi* api;
  const OrtValue* data;
  OrtValue* output;
  const char* data_begin;  // one byte of address for each element
  char* output_begin;
  OrtStatus* failure;  // the first, owned; accessed atomically
};
int32_t copy_string(void* string_copy, void* dst, const void* src);

}  // namespace garner::onnxruntime
