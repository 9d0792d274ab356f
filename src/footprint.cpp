// SPDX-License-Identifier: Apache-2.0
#include "src/footprint.h"

#include <algorithm>

namespace garner {

garner_status find_footprint(const Tensor& tensor, int32_t argument, Footprint& footprint, const ErrorReport& report) {
  if (tensor.empty()) {
    footprint = {0, 0};
    return GARNER_OK;
  }
  int64_t low = tensor.byte_offset;
  int64_t high = 0;
  bool overflow = __builtin_add_overflow(low, tensor.element_bytes, &high);
  for (int32_t d = 0; d < tensor.rank; ++d) {
    int64_t span = 0;
    int64_t& end = tensor.strides[d] < 0 ? low : high;
    overflow = overflow || __builtin_mul_overflow(tensor.shape[d] - 1, tensor.strides[d], &span) ||
               __builtin_add_overflow(end, span, &end);
  }
  int64_t bytes = 0;
  if (overflow || __builtin_sub_overflow(high, low, &bytes)) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "strides and byte_offset of ", tensor_name(argument),
                       ", shape ", Extents{tensor.shape, tensor.rank}, ", reach beyond what an int64 can address");
  }
  footprint = {low, high};
  return GARNER_OK;
}

garner_status check_distinct(const Tensor& output, const ErrorReport& report) {
  if (!output.strided || output.empty()) return GARNER_OK;
  struct Step {
    int64_t magnitude;
    int64_t extent;
    int32_t dim;
  };
  Step steps[max_rank];
  int32_t count = 0;
  for (int32_t d = 0; d < output.rank; ++d) {
    if (output.shape[d] <= 1) continue;
    // The footprint was found without overflow, so no stride is INT64_MIN.
    const int64_t magnitude = output.strides[d] < 0 ? -output.strides[d] : output.strides[d];
    steps[count++] = {magnitude, output.shape[d], d};
  }
  std::sort(steps, steps + count, [](const Step& a, const Step& b) { return a.magnitude < b.magnitude; });
  int64_t span = output.element_bytes;
  for (int32_t i = 0; i < count; ++i) {
    if (steps[i].magnitude < span) {
      return report.fail(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, "stride ", steps[i].dim, " of output is ",
                         output.strides[steps[i].dim] / output.element_bytes,
                         " elements, so elements share places; its magnitude must be at least ",
                         span / output.element_bytes);
    }
    span += (steps[i].extent - 1) * steps[i].magnitude;
  }
  return GARNER_OK;
}

garner_status check_buffer(const void* buffer, size_t buffer_bytes, const Footprint& footprint, int32_t argument,
                           const ErrorReport& report) {
  if (footprint.empty()) return GARNER_OK;
  const char* const name = tensor_name(argument);
  if (buffer == nullptr) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "the buffer of ", name, " is NULL; ", footprint.high,
                       " bytes are needed");
  }
  if (footprint.low < 0) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "strides and byte_offset of ", name, " reach byte ",
                       footprint.low, ", before the start of its buffer");
  }
  if (static_cast<uint64_t>(footprint.high) > buffer_bytes) {
    return report.fail(GARNER_INVALID_ARGUMENT, argument, "the buffer of ", name, " has ", uint64_t{buffer_bytes},
                       " bytes; its shape, strides and byte_offset reach ", footprint.high);
  }
  return GARNER_OK;
}

}  // namespace garner
