// SPDX-License-Identifier: Apache-2.0
#include "src/tensor.h"

#include "src/dtype.h"

namespace garner {
namespace {

constexpr int64_t largest_opaque_bytes = 65535;

garner_status check_element_bytes(const garner_tensor& given, int32_t argument, Tensor& tensor,
                                  const ErrorReport& report) {
  const char* const name = tensor_name(argument);
  const int64_t bytes = given.element_bytes;
  tensor.element_kind = ElementKind::bytes;
  if (given.dtype == GARNER_OPAQUE) {
    if (bytes < 1 || bytes > largest_opaque_bytes) {
      return report.fail(GARNER_INVALID_ARGUMENT, argument, "element_bytes of ", name, " is ", bytes,
                         "; an opaque element has 1..", largest_opaque_bytes, " bytes");
    }
    tensor.element_bytes = bytes;
    return GARNER_OK;
  }
  const int32_t own_bytes = dtype_info(given.dtype).bytes;
  if (given.dtype == GARNER_STRING && bytes != 0) {
    if (bytes < 0) {
      return report.fail(GARNER_INVALID_ARGUMENT, argument, "element_bytes of ", name, " is ", bytes,
                         "; a string has 0 (views) or the size of the host's own type");
    }
    tensor.element_kind = ElementKind::host_object;
    tensor.element_bytes = bytes;
    return GARNER_OK;
  }
  if (bytes != 0 && bytes != own_bytes) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "element_bytes of ", name, " is ", bytes, "; for ",
                       dtype_info(given.dtype).name, " it is 0 or ", own_bytes);
  }
  tensor.element_bytes = own_bytes;
  return GARNER_OK;
}

}  // namespace

const char* tensor_name(int32_t argument) {
  switch (argument) {
    case GARNER_ARGUMENT_DATA: return "data";
    case GARNER_ARGUMENT_INDICES: return "indices";
    default: return "output";
  }
}

garner_status check_type(const garner_tensor& given, int32_t argument, Tensor& tensor, const ErrorReport& report) {
  const char* const name = tensor_name(argument);
  const DtypeInfo info = dtype_info(given.dtype);
  if (info.name == nullptr) {
    return report.fail(GARNER_UNSUPPORTED, argument, "dtype of ", name, " is ", given.dtype,
                       ", which is no element type this library knows");
  }
  if (info.bytes == 0 && given.dtype != GARNER_OPAQUE) {
    return report.fail(GARNER_UNSUPPORTED, argument, "dtype of ", name, " is ", info.name,
                       "; types of less than a byte are not supported");
  }
  if (argument == GARNER_ARGUMENT_INDICES && !is_index_dtype(given.dtype)) {
    return report.fail(GARNER_UNSUPPORTED, argument, "dtype of indices is ", info.name,
                       "; indices are integers of 8, 16, 32 or 64 bits");
  }
  tensor.dtype = given.dtype;
  return check_element_bytes(given, argument, tensor, report);
}

garner_status check_rank(const garner_tensor& given, int32_t argument, Tensor& tensor, const ErrorReport& report) {
  const char* const name = tensor_name(argument);
  if (given.rank < 0) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "rank of ", name, " is ", given.rank,
                       "; a rank is at least 0");
  }
  if (given.rank > max_rank) {
    return report.fail(GARNER_UNSUPPORTED, argument, "rank of ", name, " is ", given.rank, "; at most ",
                       int32_t{max_rank}, " is supported");
  }
  if (given.rank == 0 && argument != GARNER_ARGUMENT_OUTPUT) {
    return report.fail(GARNER_INVALID_SHAPE, argument, "rank of ", name, " is 0; it must be at least 1");
  }
  if (given.rank > 0 && given.shape == nullptr) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "shape of ", name, " is NULL, its rank is ", given.rank);
  }
  tensor.rank = given.rank;
  return GARNER_OK;
}

garner_status check_extents(const garner_tensor& given, int32_t argument, Tensor& tensor, const ErrorReport& report) {
  for (int32_t d = 0; d < tensor.rank; ++d) {
    tensor.shape[d] = given.shape[d];
    if (tensor.shape[d] < 0) {
      return report.fail(GARNER_INVALID_SHAPE, argument, "extent ", d, " of ", tensor_name(argument), " is ",
                         tensor.shape[d], "; an extent is at least 0");
    }
  }
  return GARNER_OK;
}

garner_status check_size(int32_t argument, Tensor& tensor, const ErrorReport& report) {
  bool overflow = false;
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.shape[d] == 0) {
      // Empty, however large the other extents are.
      tensor.element_count = 0;
      return GARNER_OK;
    }
    overflow = overflow || __builtin_mul_overflow(count, tensor.shape[d], &count);
  }
  int64_t bytes = 0;
  if (overflow || __builtin_mul_overflow(count, tensor.element_bytes, &bytes)) {
    return report.fail(GARNER_INVALID_SHAPE, argument, "shape ", Extents{tensor.shape, tensor.rank}, " of ",
                       tensor_name(argument), " with elements of ", tensor.element_bytes,
                       " bytes has more bytes than an int64 can count");
  }
  tensor.element_count = count;
  return GARNER_OK;
}

garner_status check_strides(const int64_t* given_strides, int32_t argument, Tensor& tensor, const ErrorReport& report) {
  tensor.strided = given_strides != nullptr;
  int64_t dense = tensor.element_bytes;
  for (int32_t d = tensor.rank - 1; d >= 0; --d) {
    int64_t& stride = tensor.strides[d];
    if (tensor.empty() || tensor.shape[d] == 1) {
      stride = 0;
    } else if (!tensor.strided) {
      stride = dense;
      dense *= tensor.shape[d];
    } else if (__builtin_mul_overflow(given_strides[d], tensor.element_bytes, &stride)) {
      return report.fail(GARNER_INVALID_ARGUMENT, argument, "stride ", d, " of ", tensor_name(argument), " is ",
                         given_strides[d], " elements of ", tensor.element_bytes,
                         " bytes, more bytes than an int64 can count");
    }
  }
  return GARNER_OK;
}

}  // namespace garner
