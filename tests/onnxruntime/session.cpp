// SPDX-License-Identifier: Apache-2.0
#include "tests/onnxruntime/session.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace garner_test {
namespace {

const OrtApiBase& base() {
  static const OrtApiBase& loaded = []() -> const OrtApiBase& {
    const char* path = std::getenv("GARNER_TEST_ONNXRUNTIME");
    if (path == nullptr) throw std::runtime_error("GARNER_TEST_ONNXRUNTIME names no library");
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto get = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
    if (get == nullptr) throw std::runtime_error(dlerror());
    return *get();
  }();
  return loaded;
}

struct Failure : std::runtime_error {
  OrtErrorCode code;
  Failure(OrtErrorCode c, const char* message) : std::runtime_error(message), code(c) {}
};

void check(OrtStatus* status) {
  if (status == nullptr) return;
  const Failure failure(runtime().GetErrorCode(status), runtime().GetErrorMessage(status));
  runtime().ReleaseStatus(status);
  throw failure;
}

const OrtEnv* environment() {
  static OrtEnv* env = [] {
    OrtEnv* made = nullptr;
    check(runtime().CreateEnv(ORT_LOGGING_LEVEL_FATAL, "garner", &made));
    return made;
  }();
  return env;
}

using Value = std::unique_ptr<OrtValue, void (*)(OrtValue*)>;
Value owned(OrtValue* value) {
  return {value, [](OrtValue* v) { runtime().ReleaseValue(v); }};
}

ONNXTensorElementDataType type_of(const Tensor& tensor) { return static_cast<ONNXTensorElementDataType>(tensor.dtype); }

Value numbers(const Tensor& tensor) {
  OrtMemoryInfo* memory = nullptr;
  check(runtime().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  OrtValue* value = nullptr;
  OrtStatus* status =
      runtime().CreateTensorWithDataAsOrtValue(memory, const_cast<uint8_t*>(tensor.bytes.data()), tensor.bytes.size(),
                                               tensor.shape.data(), tensor.shape.size(), type_of(tensor), &value);
  runtime().ReleaseMemoryInfo(memory);
  check(status);
  return owned(value);
}

Value texts(const Shape& shape, const std::vector<std::string>& strings) {
  OrtAllocator* allocator = nullptr;
  check(runtime().GetAllocatorWithDefaultOptions(&allocator));
  OrtValue* value = nullptr;
  check(runtime().CreateTensorAsOrtValue(allocator, shape.data(), shape.size(), ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                         &value));
  Value result = owned(value);
  for (size_t i = 0; i < strings.size(); ++i) {
    char* buffer = nullptr;
    check(runtime().GetResizedStringTensorElementBuffer(value, i, strings[i].size(), &buffer));
    strings[i].copy(buffer, strings[i].size());
  }
  return result;
}

void read_output(OrtValue* value, RunResult& result) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  check(runtime().GetTensorTypeAndShape(value, &info));
  size_t rank = 0, count = 0;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(runtime().GetDimensionsCount(info, &rank));
  result.shape.resize(rank);
  check(runtime().GetDimensions(info, result.shape.data(), rank));
  check(runtime().GetTensorShapeElementCount(info, &count));
  check(runtime().GetTensorElementType(info, &type));
  runtime().ReleaseTensorTypeAndShapeInfo(info);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    for (size_t i = 0; i < count; ++i) {
      size_t length = 0;
      check(runtime().GetStringTensorElementLength(value, i, &length));
      std::string text(length, '\0');
      if (length > 0) check(runtime().GetStringTensorElement(value, length, i, text.data()));
      result.strings.push_back(text);
    }
    return;
  }
  void* data = nullptr;
  check(runtime().GetTensorMutableData(value, &data));
  const auto* bytes = static_cast<const uint8_t*>(data);
  result.bytes.assign(bytes, bytes + count * static_cast<size_t>(garner_dtype_bytes(static_cast<garner_dtype>(type))));
}

}  // namespace

const OrtApi& runtime() {
  static const OrtApi* api = base().GetApi(17);
  if (api == nullptr) throw std::runtime_error("this ONNX Runtime is older than 1.17");
  return *api;
}

std::string runtime_version() { return base().GetVersionString(); }

Session::Session(const std::string& model, int threads) {
  OrtSessionOptions* options = nullptr;
  check(runtime().CreateSessionOptions(&options));
  const std::unique_ptr<OrtSessionOptions, void (*)(OrtSessionOptions*)> owner(
      options, [](OrtSessionOptions* o) { runtime().ReleaseSessionOptions(o); });
  check(runtime().SetIntraOpNumThreads(options, threads));
  check(runtime().AddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0"));
  check(runtime().RegisterCustomOpsLibrary_V2(options, GARNER_TEST_PLUGIN));
  OrtSession* session = nullptr;
  check(runtime().CreateSessionFromArray(environment(), model.data(), model.size(), options, &session));
  session_.reset(session);
}

Shape Session::output_shape() const {
  OrtTypeInfo* type = nullptr;
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  check(runtime().SessionGetOutputTypeInfo(session_.get(), 0, &type));
  check(runtime().CastTypeInfoToTensorInfo(type, &info));
  size_t rank = 0;
  check(runtime().GetDimensionsCount(info, &rank));
  Shape shape(rank);
  check(runtime().GetDimensions(info, shape.data(), rank));
  runtime().ReleaseTypeInfo(type);
  return shape;
}

RunResult Session::run(const Tensor& data, const std::vector<std::string>& strings, const Tensor& indices) const {
  RunResult result;
  try {
    const Value from = data.dtype == GARNER_STRING ? texts(data.shape, strings) : numbers(data);
    const Value at = numbers(indices);
    const char* const inputs[] = {"data", "indices"};
    const char* const outputs[] = {"output"};
    const OrtValue* const values[] = {from.get(), at.get()};
    OrtValue* output = nullptr;
    check(runtime().Run(session_.get(), nullptr, inputs, values, 2, outputs, 1, &output));
    const Value owner = owned(output);
    read_output(output, result);
  } catch (const Failure& failure) {
    result.code = failure.code;
    result.message = failure.what();
  }
  return result;
}

double Session::seconds(const Tensor& data, const Tensor& indices, int runs) const {
  const Value from = numbers(data), at = numbers(indices);
  const char* const inputs[] = {"data", "indices"};
  const char* const outputs[] = {"output"};
  const OrtValue* const values[] = {from.get(), at.get()};
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) {
    OrtValue* output = nullptr;
    check(runtime().Run(session_.get(), nullptr, inputs, values, 2, outputs, 1, &output));
    runtime().ReleaseValue(output);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / runs;
}

}  // namespace garner_test
