// SPDX-License-Identifier: Apache-2.0
#include "src/index_error.h"

#include "src/dtype.h"

namespace garner {
namespace {

// "indices[3,0,1] = 17": for GatherND the last number is the coordinate.
void write_index(TextWriter& text, const Operation& operation, const KernelFailure& failure) {
  const int32_t tuple_rank = operation.tuple_rank();
  int64_t multi_index[max_rank];
  int64_t rest = failure.position;
  for (int32_t d = tuple_rank - 1; d >= 0; --d) {
    multi_index[d] = rest % operation.indices.shape[d];
    rest /= operation.indices.shape[d];
  }
  if (!operation.elements()) multi_index[tuple_rank] = failure.coordinate;
  text << "indices" << Extents{multi_index, operation.indices.rank} << " = ";
  if (operation.indices.dtype == GARNER_UINT64) {
    text << static_cast<uint64_t>(failure.value);
  } else {
    text << failure.value;
  }
}

void write_allowed(TextWriter& text, const Operation& operation, int64_t extent) {
  if (extent == 0) {
    text << " (no index is allowed)";
    return;
  }
  const bool wraps = operation.negative == Negative::wrap && index_is_signed(to_index_type(operation.indices.dtype));
  text << " (allowed " << (wraps ? -extent : 0) << ".." << extent - 1 << ')';
}

}  // namespace

garner_status report_failure(const Operation& operation, const KernelFailure& failure, const ErrorReport& report) {
  if (failure.callback_code != 0) {
    if (report.wanted()) {
      garner_error detail = GARNER_ERROR_INIT;
      detail.status = GARNER_CALLBACK_FAILED;
      detail.argument = GARNER_ARGUMENT_ARGS;
      detail.callback_code = failure.callback_code;
      TextWriter text(detail.text, sizeof(detail.text));
      text << "the copy callback returned " << failure.callback_code;
      report.write(detail);
    }
    return GARNER_CALLBACK_FAILED;
  }
  if (report.wanted()) {
    garner_error detail = GARNER_ERROR_INIT;
    detail.status = GARNER_OUT_OF_BOUNDS;
    detail.argument = GARNER_ARGUMENT_INDICES;
    detail.coordinate = failure.coordinate;
    detail.axis = operation.data_axis(failure.coordinate);
    detail.index_dtype = operation.indices.dtype;
    detail.position = failure.position;
    detail.value = failure.value;
    detail.extent = failure.extent;
    TextWriter text(detail.text, sizeof(detail.text));
    write_index(text, operation, failure);
    text << " is out of bounds for axis " << detail.axis << " of data, extent " << failure.extent;
    write_allowed(text, operation, failure.extent);
    report.write(detail);
  }
  return GARNER_OUT_OF_BOUNDS;
}

}  // namespace garner
