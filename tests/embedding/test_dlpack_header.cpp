// SPDX-License-Identifier: Apache-2.0
// garner_dlpack.h beside the real dlpack.h, whichever version is installed.
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif

#include <garner/garner_dlpack.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <type_traits>
#include <vector>

#include "tests/support/catch.h"

#if defined(DLPACK_DLPACK_H_)

static_assert(std::is_same_v<garner_dl_tensor, DLTensor>);
static_assert(offsetof(DLTensor, device) == offsetof(garner_dl_tensor_layout, device_type));
static_assert(offsetof(DLTensor, ndim) == offsetof(garner_dl_tensor_layout, ndim));
static_assert(offsetof(DLTensor, dtype) == offsetof(garner_dl_tensor_layout, code));
static_assert(offsetof(DLTensor, shape) == offsetof(garner_dl_tensor_layout, shape));
static_assert(offsetof(DLTensor, strides) == offsetof(garner_dl_tensor_layout, strides));
static_assert(offsetof(DLTensor, byte_offset) == offsetof(garner_dl_tensor_layout, byte_offset));
static_assert(sizeof(DLDeviceType) == sizeof(int32_t) && kDLCPU == 1);
#if defined(DLPACK_MAJOR_VERSION)
static_assert(std::is_same_v<garner_dl_versioned, DLManagedTensorVersioned>);
static_assert(offsetof(DLManagedTensorVersioned, flags) == offsetof(garner_dl_versioned_layout, flags));
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == offsetof(garner_dl_versioned_layout, tensor));
static_assert(DLPACK_FLAG_BITMASK_READ_ONLY == 1 && kDLBool == 6);
#endif

TEST_CASE("a DLTensor of the real header is taken as it is") {
  std::vector<double> data = {1, 2, 3, 4};
  int64_t shape[] = {2, 2}, strides[] = {1, 2};
  DLTensor tensor = {};
  tensor.data = data.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 2;
  tensor.dtype = {kDLFloat, 64, 1};
  tensor.shape = shape;
  tensor.strides = strides;
  garner_dl_view view = {GARNER_TENSOR_INIT, nullptr, 0};
  REQUIRE(garner_dl_view_of(&tensor, GARNER_ARGUMENT_DATA, &view, nullptr) == GARNER_OK);
  CHECK(view.data == data.data());
  CHECK(view.bytes == sizeof(double) * 4);
  CHECK(view.tensor.dtype == GARNER_FLOAT64);
  CHECK(view.tensor.strides == strides);
  tensor.device = {kDLCUDA, 0};
  CHECK(garner_dl_view_of(&tensor, GARNER_ARGUMENT_DATA, &view, nullptr) == GARNER_UNSUPPORTED);
}

#else

TEST_CASE("a DLTensor of the real header is taken as it is") {
  std::cout << "TEST-SKIPPED: dlpack/dlpack.h is not installed" << std::endl;
}

#endif
