// SPDX-License-Identifier: Apache-2.0
// Operators, attributes and tensor descriptors of every kind of nonsense: each call ends with a status and says why, shape
// inference and planning agree, and what can be executed stays inside buffers that are exactly as long as stated.
#include <garner/garner.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

using garner_test::finding;
using garner_test::FuzzInput;

namespace {

// Values at which arithmetic goes wrong, and ordinary ones.
constexpr int64_t values[] = {0,         1,
                              2,         3,
                              4,         5,
                              7,         8,
                              16,        31,
                              64,        100,
                              255,       256,
                              4096,      -1,
                              -2,        -3,
                              -64,       INT32_MAX,
                              INT32_MIN, INT64_MAX,
                              INT64_MIN, INT64_MAX - 1,
                              1LL << 31, (1LL << 31) + 1,
                              1LL << 32, 1LL << 33,
                              1LL << 40, 1LL << 61,
                              1LL << 62, -(1LL << 62)};

int64_t take_value(FuzzInput& input) {
  const auto chosen = input.take<uint8_t>();
  if (chosen < 160) return chosen % 10;  // most are small, or nothing would ever be planned
  if (chosen < 250) return values[chosen % std::size(values)];
  return input.take<int64_t>();
}

struct Described {
  garner_tensor tensor = GARNER_TENSOR_INIT;
  int64_t shape[GARNER_MAX_RANK + 2];
  int64_t strides[GARNER_MAX_RANK + 2];
};

void take_tensor(FuzzInput& input, bool index, Described& described) {
  static constexpr garner_dtype index_types[] = {GARNER_INT64, GARNER_INT32,  GARNER_INT8,   GARNER_UINT8,
                                                 GARNER_INT16, GARNER_UINT16, GARNER_UINT32, GARNER_UINT64};
  garner_tensor& tensor = described.tensor;
  const auto flags = input.take<uint8_t>();
  const auto type = input.take<uint8_t>();
  tensor.dtype = index && type < 240 ? index_types[type % 8]
                 : type < 220        ? type % 26
                 : type < 250        ? GARNER_OPAQUE
                                     : input.take<int32_t>();
  tensor.element_bytes = (flags & 1) != 0 ? take_value(input) : 0;
  const auto rank = input.take<uint8_t>();
  tensor.rank = rank < 200 ? rank % 5 : rank < 250 ? rank % (GARNER_MAX_RANK + 2) : input.take<int8_t>();
  for (int64_t& extent : described.shape) extent = 1;
  for (int64_t& stride : described.strides) stride = 1;
  for (int32_t d = 0; d < tensor.rank && d < GARNER_MAX_RANK + 2; ++d) described.shape[d] = take_value(input);
  tensor.shape = (flags & 0x70) == 0x70 ? nullptr : described.shape;
  if ((flags & 2) != 0) {
    for (int32_t d = 0; d < tensor.rank && d < GARNER_MAX_RANK + 2; ++d) described.strides[d] = take_value(input);
    tensor.strides = described.strides;
  }
  if ((flags & 4) != 0) tensor.byte_offset = take_value(input);
  if ((flags & 0x88) == 0x88) tensor.struct_size = input.take<uint8_t>();
}

struct Contexts {
  std::vector<garner_context*> all;
  Contexts() {
    for (const int32_t path : {GARNER_PATH_AUTO, GARNER_PATH_SCALAR, GARNER_PATH_COPY, GARNER_PATH_JIT}) {
      for (const int32_t body : {GARNER_BODY_AUTO, GARNER_BODY_HARDWARE, GARNER_BODY_TABLE}) {
        if (path != GARNER_PATH_JIT && body != GARNER_BODY_AUTO) continue;
        garner_context_options options = GARNER_CONTEXT_OPTIONS_INIT;
        options.path = path;
        options.body = body;
        options.threads = 1;
        garner_context* context = nullptr;
        if (garner_context_create(&options, &context, nullptr) == GARNER_OK) all.push_back(context);
      }
    }
  }
};

void judge(garner_status status, const garner_error& error, const char* call) {
  if (status < GARNER_OK || status >= GARNER_INTERNAL)
    finding(std::string(call) + ": status " + std::to_string(status));
  if (error.status != status) finding(std::string(call) + ": the error holds another status");
  if (std::memchr(error.text, 0, sizeof(error.text)) == nullptr) finding(std::string(call) + ": unterminated text");
  if ((status == GARNER_OK) != (error.text[0] == '\0')) finding(std::string(call) + ": text and status disagree");
}

int64_t number_of(const garner_plan* plan, const char* key) {
  char text[8192];
  if (garner_plan_describe(plan, 0, text, sizeof(text), nullptr) != GARNER_OK) finding("describe fails");
  const std::string lines = std::string("\n") + text;
  const size_t at = lines.find(std::string("\n") + key + "=");
  return at == std::string::npos ? -1 : std::strtoll(lines.c_str() + at + std::strlen(key) + 2, nullptr, 10);
}

// The buffer is its own allocation, of exactly the stated length.
std::unique_ptr<uint8_t[]> buffer_of(size_t bytes) { return std::make_unique<uint8_t[]>(bytes); }

int32_t copy_object(void* ctx, void* dst, const void* src) {
  const auto bytes = *static_cast<const size_t*>(ctx);
  if (src != nullptr) {
    std::memcpy(dst, src, bytes);
  } else {
    std::memset(dst, 0, bytes);
  }
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const Contexts& contexts = *new Contexts;  // never destroyed: kept until leaks are looked for
  FuzzInput input(bytes, size);
  garner_op op = GARNER_OP_INIT;
  const auto kind = input.take<uint8_t>();
  op.kind = kind < 250 ? kind % 4 : input.take<int32_t>();
  op.batch_dims = input.take<uint8_t>() < 128 ? 0 : take_value(input);
  op.axis = take_value(input);
  const auto policy = input.take<uint8_t>();
  op.bounds = policy % 5 == 4 ? policy : policy % 3;
  op.negative = policy / 5 % 4;
  Described data, indices, output;
  take_tensor(input, false, data);
  take_tensor(input, true, indices);
  const auto how = input.take<uint8_t>();
  const bool output_given = (how & 0x30) == 0x30;
  if (output_given) {
    take_tensor(input, false, output);
    output.tensor.dtype = data.tensor.dtype;
    output.tensor.element_bytes = data.tensor.element_bytes;
  }

  int64_t shape[GARNER_MAX_RANK];
  int32_t rank = -1;
  garner_error error = GARNER_ERROR_INIT;
  const garner_status inferred =
      garner_infer_shape(&op, &data.tensor, &indices.tensor, shape, GARNER_MAX_RANK, &rank, &error);
  judge(inferred, error, "infer_shape");
  if (output_given && inferred == GARNER_OK && (how & 0x40) != 0) {  // a shape that fits, with any strides
    output.tensor.rank = rank;
    output.tensor.shape = output.shape;
    std::memcpy(output.shape, shape, static_cast<size_t>(rank) * sizeof(int64_t));
  }
  garner_plan* plan = nullptr;
  const garner_status planned =
      garner_plan_create(contexts.all[how % contexts.all.size()], &op, &data.tensor, &indices.tensor,
                         output_given ? &output.tensor : nullptr, &plan, &error);
  judge(planned, error, "plan_create");
  if (planned == GARNER_OK && inferred != GARNER_OK) finding("a plan without a shape");
  if ((plan != nullptr) != (planned == GARNER_OK)) finding("plan and status disagree");
  if (plan == nullptr) return 0;

  // Strides of 0 make few bytes into much work.
  const int64_t tuples = number_of(plan, "tuples");
  if (tuples >= 0 && tuples <= 100000) {
    size_t host_bytes = static_cast<size_t>(data.tensor.element_bytes);
    const size_t lengths[] = {0, 64, 700, 5000, 100000};
    const auto chosen = input.take<uint8_t>();
    const size_t data_bytes = lengths[chosen % 5], index_bytes = lengths[chosen / 5 % 5],
                 output_bytes = lengths[chosen / 25 % 5];
    const auto data_buffer = buffer_of(data_bytes), index_buffer = buffer_of(index_bytes),
               output_buffer = buffer_of(output_bytes);
    for (size_t i = 0; i < index_bytes && input.left() > 0; ++i) index_buffer[i] = input.rest()[i % input.left()];
    garner_args args = GARNER_ARGS_INIT;
    args.data = data_buffer.get();
    args.data_bytes = data_bytes;
    args.indices = index_buffer.get();
    args.indices_bytes = index_bytes;
    args.output = output_buffer.get();
    args.output_bytes = output_bytes;
    args.copy = &copy_object;
    args.copy_ctx = &host_bytes;
    judge(garner_plan_execute(plan, &args, &error), error, "plan_execute");
  }
  garner_plan_destroy(plan);
  return 0;
}
