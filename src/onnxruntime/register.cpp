// SPDX-License-Identifier: Apache-2.0
// The one symbol that ONNX Runtime looks up in a library of custom operators.
#include "src/onnxruntime/operators.h"

using garner::onnxruntime::api_version;
using garner::onnxruntime::custom_ops;
using garner::onnxruntime::CustomOp;

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                               const OrtApiBase* base) {
  const OrtApi* api = base->GetApi(api_version);
  if (api == nullptr) {
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "garner needs ONNX Runtime 1.17 or later");
  }
  garner::onnxruntime::set_inference_api(api);
  // Sessions keep the domain, and nobody says when the last one ends: it is not released.
  OrtCustomOpDomain* domain = nullptr;
  if (OrtStatus* status = api->CreateCustomOpDomain("garner", &domain)) return status;
  for (const CustomOp& op : custom_ops()) {
    if (OrtStatus* status = api->CustomOpDomain_Add(domain, &op)) return status;
  }
  return api->AddCustomOpDomain(options, domain);
}
