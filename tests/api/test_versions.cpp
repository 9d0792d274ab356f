// SPDX-License-Identifier: Apache-2.0
// Hosts built against older and newer headers.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"

using namespace garner_test;

namespace {

// Sizes of the structs in version 1 of the interface; they never change.
constexpr uint32_t op_v1 = 32, tensor_v1 = 48, error_v1 = 312, executor_v1 = 32, args_v1 = 80, options_v1 = 96;

// A struct as a newer header would have it: 64 bytes longer.
template <class Struct>
struct Newer {
  Struct known;
  unsigned char tail[64];
  explicit Newer(const Struct& from) : known(from), tail{} { known.struct_size = sizeof(Newer); }
};

}  // namespace

TEST_CASE("versions") {
  CHECK(std::string(garner_version()) == GARNER_VERSION_STRING);
  CHECK(garner_abi_version() >= 0);
  CHECK(std::string(garner_build_info()).find(GARNER_VERSION_STRING) != std::string::npos);
}

TEST_CASE("structs are at least as large as in version 1") {
  CHECK(sizeof(garner_op) >= op_v1);
  CHECK(sizeof(garner_tensor) >= tensor_v1);
  CHECK(sizeof(garner_error) >= error_v1);
  CHECK(sizeof(garner_executor) >= executor_v1);
  CHECK(sizeof(garner_args) >= args_v1);
  CHECK(sizeof(garner_context_options) >= options_v1);
}

TEST_CASE("structs of version 1 are accepted") {
  SimpleProblem p;
  p.op.struct_size = op_v1;
  p.data.struct_size = p.indices.struct_size = p.output.struct_size = tensor_v1;
  p.args.struct_size = args_v1;
  p.error.struct_size = error_v1;
  CHECK(p.execute() == GARNER_OK);
  CHECK(p.right());
}

TEST_CASE("smaller structs are refused") {
  const auto refused = [](auto spoil, int32_t argument) {
    SimpleProblem p;
    spoil(p);
    CHECK(p.execute() == GARNER_VERSION);
    INFO(p.error.text);
    CHECK(p.error.argument == argument);
    CHECK(p.untouched());
  };
  for (uint32_t size : {0u, 1u, 4u, op_v1 - 1})
    refused([size](SimpleProblem& p) { p.op.struct_size = size; }, GARNER_ARGUMENT_OP);
  for (uint32_t size : {0u, tensor_v1 - 1}) {
    refused([size](SimpleProblem& p) { p.data.struct_size = size; }, GARNER_ARGUMENT_DATA);
    refused([size](SimpleProblem& p) { p.indices.struct_size = size; }, GARNER_ARGUMENT_INDICES);
    refused([size](SimpleProblem& p) { p.output.struct_size = size; }, GARNER_ARGUMENT_OUTPUT);
  }
  for (uint32_t size : {0u, args_v1 - 1})
    refused([size](SimpleProblem& p) { p.args.struct_size = size; }, GARNER_ARGUMENT_ARGS);
}

TEST_CASE("larger structs with a zero tail are accepted and others refused") {
  SimpleProblem p;
  Newer<garner_op> op(p.op);
  Newer<garner_tensor> data(p.data), indices(p.indices), output(p.output);
  Newer<garner_args> args(p.args);
  const auto execute = [&] {
    return garner_execute(nullptr, &op.known, &data.known, &indices.known, &output.known, &args.known, &p.error);
  };
  CHECK(execute() == GARNER_OK);
  CHECK(p.right());
  for (unsigned char* tail : {op.tail, data.tail, indices.tail, output.tail, args.tail}) {
    for (int at : {0, 63}) {
      tail[at] = 1;
      CHECK(execute() == GARNER_VERSION);
      CHECK(p.error.status == GARNER_VERSION);
      tail[at] = 0;
    }
  }
  CHECK(execute() == GARNER_OK);
}

TEST_CASE("context options of other sizes") {
  garner_context* context = nullptr;
  Newer<garner_context_options> options(context_options());
  CHECK(garner_context_create(&options.known, &context, nullptr) == GARNER_OK);
  garner_context_destroy(context);
  options.tail[5] = 1;
  CHECK(garner_context_create(&options.known, &context, nullptr) == GARNER_VERSION);
  CHECK(context == nullptr);
  options.tail[5] = 0;
  options.known.struct_size = options_v1;
  CHECK(garner_context_create(&options.known, &context, nullptr) == GARNER_OK);
  garner_context_destroy(context);
  options.known.struct_size = options_v1 - 8;
  CHECK(garner_context_create(&options.known, &context, nullptr) == GARNER_VERSION);
}

TEST_CASE("executors of other sizes") {
  SimpleProblem p;
  garner_executor executor = GARNER_EXECUTOR_INIT;
  executor.concurrency = [](void*) { return 1; };
  executor.parallel_for = [](void*, int32_t n, void (*fn)(void*, int32_t), void* arg) {
    for (int32_t i = 0; i < n; ++i) fn(arg, i);
  };
  Newer<garner_executor> newer(executor);
  p.args.executor = &newer.known;
  CHECK(p.execute() == GARNER_OK);
  newer.tail[0] = 1;
  CHECK(p.execute() == GARNER_VERSION);
  newer.tail[0] = 0;
  newer.known.struct_size = executor_v1 - 1;
  CHECK(p.execute() == GARNER_VERSION);
}

TEST_CASE("an error of a newer header is filled and its tail left alone or zero") {
  SimpleProblem p;
  Newer<garner_error> error(no_error());
  p.index_values[2] = 99;
  CHECK(garner_execute(nullptr, &p.op, &p.data, &p.indices, &p.output, &p.args, &error.known) == GARNER_OUT_OF_BOUNDS);
  CHECK(error.known.status == GARNER_OUT_OF_BOUNDS);
  CHECK(error.known.value == 99);
  for (unsigned char byte : error.tail) CHECK(byte == 0);
}

TEST_CASE("at most struct_size bytes of an error are written") {
  // Refused sizes are not written to at all, or only in the part that they claim.
  for (uint32_t size : {0u, 4u, 8u, 16u, 56u, 100u, error_v1 - 1, error_v1}) {
    alignas(8) unsigned char memory[sizeof(garner_error) + 64];
    std::memset(memory, 0xC3, sizeof(memory));
    auto* error = reinterpret_cast<garner_error*>(memory);
    error->struct_size = size;
    SimpleProblem p;
    p.index_values[0] = -99;
    const garner_status status = garner_execute(nullptr, &p.op, &p.data, &p.indices, &p.output, &p.args, error);
    CAPTURE(size);
    CHECK(status == (size < error_v1 ? GARNER_VERSION : GARNER_OUT_OF_BOUNDS));
    for (size_t i = std::max<size_t>(size, sizeof(uint32_t)); i < sizeof(memory); ++i) {
      if (memory[i] != 0xC3) FAIL_CHECK("byte " << i << " was written");
    }
  }
}

TEST_CASE("an error struct of an unknown larger size is refused") {
  alignas(8) unsigned char memory[sizeof(garner_error) + 64];
  auto* error = reinterpret_cast<garner_error*>(memory);
  // A tail that is not zero, and a size that no header has.
  for (uint32_t size : {static_cast<uint32_t>(sizeof(memory)), 5000u, 0xCCCCCCCCu}) {
    std::memset(memory, 0xC3, sizeof(memory));
    error->struct_size = size;
    SimpleProblem p;
    CHECK(garner_execute(nullptr, &p.op, &p.data, &p.indices, &p.output, &p.args, error) == GARNER_VERSION);
    for (size_t i = sizeof(garner_error); i < sizeof(memory); ++i) CHECK(memory[i] == 0xC3);
  }
}

TEST_CASE("the text of an error is always terminated") {
  SimpleProblem p;
  std::memset(p.error.text, 'x', sizeof(p.error.text));
  p.data.rank = 16;
  int64_t shape[16];
  for (int64_t& extent : shape) extent = 1000000000000;
  p.data.shape = shape;
  CHECK(p.plan_status() == GARNER_INVALID_SHAPE);
  CHECK(std::memchr(p.error.text, 0, sizeof(p.error.text)) != nullptr);
}
