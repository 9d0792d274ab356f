// SPDX-License-Identifier: Apache-2.0
// Tensors of std::string, gathered through the copy callback of the C API.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tests/support/routes.h"
#include "tests/support/tensor.h"

namespace garner_test {

// Counts its calls; fails with `code` once `allowed` calls were made (never when negative).
struct StringCopier {
  int64_t allowed = -1;
  int32_t code = 0;
  std::atomic<int64_t> calls{0};

  static int32_t copy(void* ctx, void* dst, const void* src) {
    auto* self = static_cast<StringCopier*>(ctx);
    const int64_t call = self->calls.fetch_add(1);
    if (self->allowed >= 0 && call >= self->allowed) return self->code;
    auto* to = static_cast<std::string*>(dst);
    if (src == nullptr) {
      to->clear();
    } else {
      *to = *static_cast<const std::string*>(src);
    }
    return 0;
  }
};

struct OwningRun {
  garner_status status;
  garner_error error;
  Shape shape;
  std::vector<std::string> output;
};

// Elements start as "untouched".
inline OwningRun run_owning(const Route& route, const garner_op& op, const Shape& data_shape,
                            const std::vector<std::string>& data, const Tensor& indices, int32_t threads,
                            StringCopier& copier) {
  OwningRun result{GARNER_OK, GARNER_ERROR_INIT, {}, {}};
  garner_tensor data_tensor = GARNER_TENSOR_INIT;
  data_tensor.dtype = GARNER_STRING;
  data_tensor.element_bytes = sizeof(std::string);
  data_tensor.rank = static_cast<int32_t>(data_shape.size());
  data_tensor.shape = data_shape.data();
  const garner_tensor index_tensor = indices.descriptor();
  result.shape.assign(GARNER_MAX_RANK, 0);
  int32_t rank = 0;
  result.status =
      garner_infer_shape(&op, &data_tensor, &index_tensor, result.shape.data(), GARNER_MAX_RANK, &rank, &result.error);
  if (result.status != GARNER_OK) return result;
  result.shape.resize(static_cast<size_t>(rank));
  result.output.assign(static_cast<size_t>(element_count(result.shape)), "untouched");
  garner_args args = GARNER_ARGS_INIT;
  args.max_threads = threads;
  args.data = data.data();
  args.data_bytes = data.size() * sizeof(std::string);
  args.indices = indices.bytes.data();
  args.indices_bytes = indices.bytes.size();
  args.output = result.output.data();
  args.output_bytes = result.output.size() * sizeof(std::string);
  args.copy = &StringCopier::copy;
  args.copy_ctx = &copier;
  result.status = garner_execute(context_for(route), &op, &data_tensor, &index_tensor, nullptr, &args, &result.error);
  return result;
}

}  // namespace garner_test
