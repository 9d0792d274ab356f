// SPDX-License-Identifier: Apache-2.0
#include "src/onnxruntime/operators.h"

namespace garner::onnxruntime {
namespace {

OrtStatus* copy_element(const StringCopy& copy, size_t to, size_t from) {
  size_t length = 0;
  char* buffer = nullptr;
  if (OrtStatus* status = copy.api->GetStringTensorElementLength(copy.data, from, &length)) return status;
  if (OrtStatus* status = copy.api->GetResizedStringTensorElementBuffer(copy.output, to, length, &buffer))
    return status;
  return length == 0 ? nullptr : copy.api->GetStringTensorElement(copy.data, length, from, buffer);
}

}  // namespace

int32_t copy_string(void* string_copy, void* dst, const void* src) {
  StringCopy& copy = *static_cast<StringCopy*>(string_copy);
  const size_t to = static_cast<size_t>(static_cast<char*>(dst) - copy.output_begin);
  const size_t from = static_cast<size_t>(static_cast<const char*>(src) - copy.data_begin);
  OrtStatus* failure = copy_element(copy, to, from);
  if (failure == nullptr) return 0;
  OrtStatus* none = nullptr;
  if (!__atomic_compare_exchange_n(&copy.failure, &none, failure, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    copy.api->ReleaseStatus(failure);
  }
  return 1;
}

}  // namespace garner::onnxruntime
