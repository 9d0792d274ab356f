// SPDX-License-Identifier: Apache-2.0
// One node of a session: its attributes, and a call of garner_execute for each run.
#include <sched.h>

#include <new>

#include "runtime/keep_errno.h"
#include "src/onnxruntime/operators.h"

namespace garner::onnxruntime {
namespace {

struct Kernel {
  const OrtApi* api;
  garner_op op;
};

// The threads of the session, lent for one run.
struct SessionThreads {
  const OrtApi* api;
  const OrtKernelContext* context;
};

// ONNX Runtime does not tell how many threads a session has. More than there are does no harm: shards are claimed one by
// one, and the last calls find none left.
int32_t concurrency(void* /*threads*/) {
  const KeepErrno keep;
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
}

void parallel_for(void* threads, int32_t n, void (*function)(void* arg, int32_t i), void* arg) {
  struct Call {
    void (*function)(void* arg, int32_t i);
    void* arg;
  } call = {function, arg};
  const SessionThreads& session = *static_cast<const SessionThreads*>(threads);
  OrtStatus* status = session.api->KernelContext_ParallelFor(
      session.context,
      [](void* data, size_t i) {
        const Call& made = *static_cast<const Call*>(data);
        made.function(made.arg, static_cast<int32_t>(i));
      },
      static_cast<size_t>(n), 0, &call);
  if (status != nullptr) session.api->ReleaseStatus(status);  // garner does what is left
}

OrtErrorCode error_code(garner_status status) {
  switch (status) {
    case GARNER_INVALID_ARGUMENT:
    case GARNER_INVALID_SHAPE:
    case GARNER_OUT_OF_BOUNDS: return ORT_INVALID_ARGUMENT;
    case GARNER_UNSUPPORTED: return ORT_NOT_IMPLEMENTED;
    default: return ORT_FAIL;
  }
}

OrtStatus* status_of(const OrtApi& api, const garner_error& error) {
  return api.CreateStatus(error_code(error.status), error.text);
}

// A tensor of the session as garner sees it. `shape` is its own copy.
struct Operand {
  const OrtValue* value = nullptr;
  garner_tensor tensor = GARNER_TENSOR_INIT;
  int64_t shape[GARNER_MAX_RANK] = {};
  size_t count = 0;
  const void* data = nullptr;
};

OrtStatus* read_shape(const OrtApi& api, const OrtTensorTypeAndShapeInfo* info, Operand& operand) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  if (OrtStatus* status = api.GetTensorElementType(info, &type)) return status;
  if (OrtStatus* status = api.GetDimensionsCount(info, &rank)) return status;
  if (rank > GARNER_MAX_RANK) return api.CreateStatus(ORT_NOT_IMPLEMENTED, "garner takes ranks of up to 16");
  if (OrtStatus* status = api.GetDimensions(info, operand.shape, rank)) return status;
  if (OrtStatus* status = api.GetTensorShapeElementCount(info, &operand.count)) return status;
  operand.tensor.dtype = static_cast<garner_dtype>(type);
  operand.tensor.element_bytes = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING ? 1 : 0;  // see StringCopy
  operand.tensor.rank = static_cast<int32_t>(rank);
  operand.tensor.shape = operand.shape;
  return nullptr;
}

OrtStatus* data_of(const OrtApi& api, const OrtValue* value, const void*& data) {
  void* pointer = nullptr;
  // The runtime has no function that reads; nothing is written through this one.
  OrtStatus* status = api.GetTensorMutableData(const_cast<OrtValue*>(value), &pointer);
  data = pointer;
  return status;
}

OrtStatus* read_input(const OrtApi& api, const OrtKernelContext* context, size_t index, Operand& operand) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  if (OrtStatus* status = api.KernelContext_GetInput(context, index, &operand.value)) return status;
  if (OrtStatus* status = api.GetTensorTypeAndShape(operand.value, &info)) return status;
  OrtStatus* status = read_shape(api, info, operand);
  api.ReleaseTensorTypeAndShapeInfo(info);
  return status != nullptr ? status : data_of(api, operand.value, operand.data);
}

size_t bytes_of(const garner_tensor& tensor, size_t count) {
  return count *
         static_cast<size_t>(tensor.element_bytes != 0 ? tensor.element_bytes : garner_dtype_bytes(tensor.dtype));
}

}  // namespace

OrtStatus* create_kernel(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info, void** kernel) {
  const int32_t kind = static_cast<const CustomOp*>(op)->kind;
  auto* made = new (std::nothrow) Kernel{api, GARNER_OP_INIT};
  if (made == nullptr) return api->CreateStatus(ORT_FAIL, "out of memory");
  made->op.kind = kind;
  int64_t& attribute = kind == GARNER_GATHER_ELEMENTS_ONNX ? made->op.axis : made->op.batch_dims;
  if (OrtStatus* absent = api->KernelInfoGetAttribute_int64(info, attribute_name(kind), &attribute)) {
    api->ReleaseStatus(absent);
    attribute = 0;
  }
  *kernel = made;
  return nullptr;
}

void destroy_kernel(void* kernel) { delete static_cast<Kernel*>(kernel); }

OrtStatus* compute(void* kernel, OrtKernelContext* context) {
  const Kernel& self = *static_cast<const Kernel*>(kernel);
  const OrtApi& api = *self.api;
  Operand data, indices;
  if (OrtStatus* status = read_input(api, context, 0, data)) return status;
  if (OrtStatus* status = read_input(api, context, 1, indices)) return status;

  garner_error error = GARNER_ERROR_INIT;
  int64_t shape[GARNER_MAX_RANK];
  int32_t rank = 0;
  if (garner_infer_shape(&self.op, &data.tensor, &indices.tensor, shape, GARNER_MAX_RANK, &rank, &error) != GARNER_OK) {
    return status_of(api, error);
  }
  size_t count = 1;
  for (int32_t dim = 0; dim < rank; ++dim) count *= static_cast<size_t>(shape[dim]);
  OrtValue* output = nullptr;
  if (OrtStatus* status = api.KernelContext_GetOutput(context, 0, shape, static_cast<size_t>(rank), &output)) {
    return status;
  }
  void* destination = nullptr;
  if (OrtStatus* status = api.GetTensorMutableData(output, &destination)) return status;

  SessionThreads threads = {&api, context};
  const garner_executor executor = {sizeof(garner_executor), 0, &threads, concurrency, parallel_for};
  StringCopy strings = {
      &api, data.value, output, static_cast<const char*>(data.data), static_cast<char*>(destination), nullptr};
  garner_args args = GARNER_ARGS_INIT;
  args.data = data.data;
  args.data_bytes = bytes_of(data.tensor, data.count);
  args.indices = indices.data;
  args.indices_bytes = bytes_of(indices.tensor, indices.count);
  args.output = destination;
  args.output_bytes = bytes_of(data.tensor, count);
  args.executor = &executor;
  if (data.tensor.dtype == GARNER_STRING) {
    args.copy = copy_string;
    args.copy_ctx = &strings;
  }
  if (garner_execute(nullptr, &self.op, &data.tensor, &indices.tensor, nullptr, &args, &error) == GARNER_OK) {
    return nullptr;
  }
  if (error.status == GARNER_CALLBACK_FAILED) return strings.failure;
  if (strings.failure != nullptr) api.ReleaseStatus(strings.failure);  // a bad index at a lower position wins
  return status_of(api, error);
}

}  // namespace garner::onnxruntime
