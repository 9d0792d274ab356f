// SPDX-License-Identifier: Apache-2.0
// Wrong calls: each is refused with a status, the argument it is about and a text, before anything is read or written.
#include <cstring>
#include <limits>
#include <string>

#include "tests/api/simple_problem.h"
#include "tests/support/catch.h"

using namespace garner_test;

namespace {

void expect_refused(const SimpleProblem& problem, garner_status status, garner_status wanted, int32_t argument) {
  INFO(problem.error.text);
  CHECK(garner_status_name(status) == std::string(garner_status_name(wanted)));
  CHECK(problem.error.status == status);
  CHECK(problem.error.argument == argument);
  CHECK(std::strlen(problem.error.text) > 0);
  CHECK(std::memchr(problem.error.text, 0, sizeof(problem.error.text)) != nullptr);
  CHECK(problem.untouched());
}

// Spoils the planning part.
template <class Spoil>
void refuse_plan(garner_status wanted, int32_t argument, Spoil spoil) {
  SimpleProblem problem;
  spoil(problem);
  expect_refused(problem, problem.plan_status(), wanted, argument);
  expect_refused(problem, problem.execute(), wanted, argument);
}

// Spoils the execution part only: the plan is good.
template <class Spoil>
void refuse_execution(garner_status wanted, int32_t argument, Spoil spoil) {
  SimpleProblem problem;
  spoil(problem);
  const PlanHandle plan = problem.plan();
  REQUIRE(plan);
  expect_refused(problem, garner_plan_execute(plan.get(), &problem.args, &problem.error), wanted, argument);
  expect_refused(problem, problem.execute(), wanted, argument);
}

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

}  // namespace

TEST_CASE("the good call succeeds and clears the error") {
  SimpleProblem problem;
  problem.error.status = 77;
  CHECK(problem.execute() == GARNER_OK);
  CHECK(problem.error.status == GARNER_OK);
  CHECK(problem.right());
  CHECK(garner_execute(nullptr, &problem.op, &problem.data, &problem.indices, nullptr, &problem.args, nullptr) ==
        GARNER_OK);
}

TEST_CASE("null pointers where something is needed") {
  SimpleProblem p;
  garner_plan* plan = reinterpret_cast<garner_plan*>(&p);
  CHECK(garner_plan_create(nullptr, nullptr, &p.data, &p.indices, nullptr, &plan, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_OP);
  CHECK(plan == nullptr);
  plan = reinterpret_cast<garner_plan*>(&p);
  CHECK(garner_plan_create(nullptr, &p.op, nullptr, &p.indices, nullptr, &plan, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_DATA);
  CHECK(plan == nullptr);
  CHECK(garner_plan_create(nullptr, &p.op, &p.data, nullptr, nullptr, &plan, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_INDICES);
  CHECK(garner_plan_create(nullptr, &p.op, &p.data, &p.indices, nullptr, nullptr, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_RESULT);
  CHECK(garner_plan_execute(nullptr, &p.args, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_PLAN);
  const PlanHandle good = p.plan();
  CHECK(garner_plan_execute(good.get(), nullptr, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_ARGS);
  CHECK(garner_execute(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == GARNER_INVALID_ARGUMENT);
  CHECK(garner_context_create(nullptr, nullptr, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_RESULT);
  int64_t shape[2];
  int32_t rank = 0;
  CHECK(garner_infer_shape(nullptr, &p.data, &p.indices, shape, 2, &rank, nullptr) == GARNER_INVALID_ARGUMENT);
  CHECK(garner_infer_shape(&p.op, &p.data, &p.indices, shape, 2, nullptr, nullptr) == GARNER_INVALID_ARGUMENT);
  CHECK(garner_infer_shape(&p.op, &p.data, &p.indices, nullptr, 2, &rank, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_RESULT);
  CHECK(garner_plan_describe(nullptr, 0, nullptr, 0, nullptr) == GARNER_INVALID_ARGUMENT);
  CHECK(garner_plan_describe(good.get(), 0, nullptr, 10, nullptr) == GARNER_INVALID_ARGUMENT);
  CHECK(garner_context_prepare(nullptr, nullptr, GARNER_FLOAT32, 0, GARNER_INT64, 1, &p.error) ==
        GARNER_INVALID_ARGUMENT);
}

TEST_CASE("shapes that are NULL") {
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.shape = nullptr; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_INDICES, [](SimpleProblem& p) { p.indices.shape = nullptr; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { p.output.shape = nullptr; });
}

TEST_CASE("enum values that do not exist") {
  for (int32_t bad : {-1, 4, 1000, std::numeric_limits<int32_t>::min()}) {
    refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, [bad](SimpleProblem& p) { p.op.kind = bad; });
    refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, [bad](SimpleProblem& p) { p.op.bounds = bad; });
    refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, [bad](SimpleProblem& p) { p.op.negative = bad; });
  }
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, [](SimpleProblem& p) { p.op.bounds = 3; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OP, [](SimpleProblem& p) { p.op.negative = 3; });
}

TEST_CASE("types that do not exist or are not indices") {
  for (garner_dtype bad : {0, 21, 22, 23, 27, 12345, -3}) {
    refuse_plan(GARNER_UNSUPPORTED, GARNER_ARGUMENT_DATA, [bad](SimpleProblem& p) { p.data.dtype = bad; });
    refuse_plan(GARNER_UNSUPPORTED, GARNER_ARGUMENT_INDICES, [bad](SimpleProblem& p) { p.indices.dtype = bad; });
  }
  refuse_plan(GARNER_UNSUPPORTED, GARNER_ARGUMENT_INDICES, [](SimpleProblem& p) { p.indices.dtype = GARNER_FLOAT32; });
  refuse_plan(GARNER_UNSUPPORTED, GARNER_ARGUMENT_INDICES, [](SimpleProblem& p) { p.indices.dtype = GARNER_BOOL; });
}

TEST_CASE("element sizes that contradict the type") {
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.element_bytes = 8; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.element_bytes = -4; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_INDICES, [](SimpleProblem& p) { p.indices.element_bytes = 4; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { p.output.element_bytes = 2; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.dtype = GARNER_OPAQUE; });
  SimpleProblem good;
  good.data.element_bytes = 4;
  good.indices.element_bytes = 8;
  good.output.element_bytes = 4;
  CHECK(good.execute() == GARNER_OK);
  CHECK(good.right());
}

TEST_CASE("ranks") {
  refuse_plan(GARNER_UNSUPPORTED, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) {
    static const int64_t ones[17] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    p.data.rank = 17;
    p.data.shape = ones;
  });
  refuse_plan(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.rank = 0; });
  refuse_plan(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_INDICES, [](SimpleProblem& p) { p.indices.rank = 0; });
  // A rank below zero is no rank at all; which refusal it gets is not pinned, but it is one.
  for (int32_t rank : {-1, std::numeric_limits<int32_t>::min()}) {
    SimpleProblem p;
    p.data.rank = rank;
    const garner_status status = p.plan_status();
    CHECK((status == GARNER_INVALID_ARGUMENT || status == GARNER_INVALID_SHAPE));
    CHECK(p.error.argument == GARNER_ARGUMENT_DATA);
  }
  SimpleProblem p;
  p.data.rank = std::numeric_limits<int32_t>::max();
  CHECK(p.plan_status() == GARNER_UNSUPPORTED);
}

TEST_CASE("output descriptors that do not fit") {
  refuse_plan(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { p.output_shape[0] = 3; });
  refuse_plan(GARNER_INVALID_SHAPE, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { p.output.rank = 0; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { p.output.dtype = GARNER_INT32; });
  refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) {
    p.output.dtype = GARNER_OPAQUE;
    p.output.element_bytes = 4;
  });
}

TEST_CASE("outputs whose elements share bytes") {
  static const int64_t same[] = {0};
  for (const garner_dtype dtype : {GARNER_UINT8, GARNER_FLOAT16, GARNER_FLOAT32, GARNER_COMPLEX128}) {
    CAPTURE(dtype);
    refuse_plan(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [dtype](SimpleProblem& p) {
      p.data.dtype = p.output.dtype = dtype;
      p.output.strides = same;
    });
  }
}

TEST_CASE("places that fit an int64 while one step further does not") {
  // Nothing of that size can be executed, but it can be planned.
  static const int64_t shape[] = {2, 4, 1}, strides[] = {1, huge / 8 / 4 + 1, 1};
  SimpleProblem p;
  p.indices.rank = 3;
  p.indices.shape = shape;
  p.indices.strides = strides;
  p.data.rank = 1;
  p.output.rank = 2;
  p.output.shape = shape;
  CHECK(p.plan_status() == GARNER_OK);
  CHECK(p.execute() == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_INDICES);
}

TEST_CASE("strides whose reach overflows") {
  static const int64_t far[] = {huge, 1};
  static const int64_t far_back[] = {std::numeric_limits<int64_t>::min(), 1};
  for (const int64_t* strides : {far, far_back}) {
    for (garner_tensor SimpleProblem::*tensor : {&SimpleProblem::data, &SimpleProblem::indices}) {
      SimpleProblem p;
      (p.*tensor).strides = strides;
      const garner_status status = p.execute();
      INFO(p.error.text);
      // Found when planning (an overflow) or when the buffer's size is known; never an access.
      CHECK((status == GARNER_INVALID_ARGUMENT || status == GARNER_INVALID_SHAPE));
      CHECK(p.untouched());
    }
  }
}

TEST_CASE("buffers that are NULL or too small") {
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.args.data = nullptr; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_INDICES,
                   [](SimpleProblem& p) { p.args.indices = nullptr; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { p.args.output = nullptr; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { --p.args.data_bytes; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_INDICES, [](SimpleProblem& p) { --p.args.indices_bytes; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { --p.args.output_bytes; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.args.data_bytes = 0; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_ARGS, [](SimpleProblem& p) { p.args.max_threads = -1; });
}

TEST_CASE("byte offsets that leave the buffer") {
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.byte_offset = 1; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_INDICES,
                   [](SimpleProblem& p) { p.indices.byte_offset = -1; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_OUTPUT, [](SimpleProblem& p) { p.output.byte_offset = 4; });
  for (int64_t offset : {huge, std::numeric_limits<int64_t>::min()}) {
    SimpleProblem p;
    p.data.byte_offset = offset;
    const garner_status status = p.execute();
    INFO(p.error.text);
    CHECK((status == GARNER_INVALID_ARGUMENT || status == GARNER_INVALID_SHAPE));
    CHECK(p.untouched());
  }
}

TEST_CASE("strides that reach outside the buffer") {
  static const int64_t wide[] = {5, 1}, back[] = {-4, 1}, in_place[] = {4, 1};
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.strides = wide; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) { p.data.strides = back; });
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_INDICES,
                   [](SimpleProblem& p) { p.indices.strides = back; });
  // Bytes 0 to 47 with the rows from last to first.
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_DATA, [](SimpleProblem& p) {
    p.data.strides = back;
    p.data.byte_offset = 32;
    p.args.data_bytes = 47;
  });
  SimpleProblem good;
  good.data.strides = in_place;
  CHECK(good.execute() == GARNER_OK);
  // The rows from last to first, located by the byte offset.
  SimpleProblem reversed;
  reversed.data.strides = back;
  reversed.data.byte_offset = 32;
  CHECK(reversed.execute() == GARNER_OK);
  CHECK(reversed.output_values[0] == 9);
  CHECK(reversed.output_values[1] == 3);
}

TEST_CASE("executors that lack a function") {
  refuse_execution(GARNER_INVALID_ARGUMENT, GARNER_ARGUMENT_ARGS, [](SimpleProblem& p) {
    static const garner_executor empty = GARNER_EXECUTOR_INIT;
    p.args.executor = &empty;
  });
}

TEST_CASE("results of shape inference in a small place") {
  SimpleProblem p;
  p.op = gather_nd();
  p.index_shape[1] = 1;  // output 2x4
  int64_t shape[2] = {-1, -1};
  int32_t rank = -1;
  CHECK(garner_infer_shape(&p.op, &p.data, &p.indices, shape, 1, &rank, &p.error) == GARNER_INVALID_ARGUMENT);
  CHECK(p.error.argument == GARNER_ARGUMENT_RESULT);
  CHECK(rank == 2);
  CHECK(shape[1] == -1);
  CHECK(garner_infer_shape(&p.op, &p.data, &p.indices, shape, 0, &rank, nullptr) == GARNER_INVALID_ARGUMENT);
  CHECK(garner_infer_shape(&p.op, &p.data, &p.indices, shape, -1, &rank, nullptr) == GARNER_INVALID_ARGUMENT);
  CHECK(rank == 2);
  CHECK(garner_infer_shape(&p.op, &p.data, &p.indices, shape, 2, &rank, nullptr) == GARNER_OK);
  CHECK(shape[0] == 2);
  CHECK(shape[1] == 4);
  // Rank 0 needs no place.
  p.indices.rank = 1;
  p.index_shape[0] = 2;
  CHECK(garner_infer_shape(&p.op, &p.data, &p.indices, nullptr, 0, &rank, &p.error) == GARNER_OK);
  CHECK(rank == 0);
}

TEST_CASE("names of statuses and types") {
  CHECK(std::string(garner_status_name(GARNER_OK)) == "OK");
  CHECK(std::string(garner_status_name(GARNER_OUT_OF_BOUNDS)) == "OUT_OF_BOUNDS");
  CHECK(std::string(garner_status_name(-1)) == "UNKNOWN");
  CHECK(std::string(garner_status_name(10)) == "UNKNOWN");
  CHECK(std::string(garner_dtype_name(GARNER_FLOAT32)) == "float32");
  CHECK(std::string(garner_dtype_name(999)) == "unknown");
  CHECK(std::string(garner_dtype_name(-1)) == "unknown");
  CHECK(garner_dtype_bytes(GARNER_STRING) == 16);
  CHECK(garner_dtype_bytes(GARNER_COMPLEX128) == 16);
  CHECK(garner_dtype_bytes(GARNER_OPAQUE) == 0);
  CHECK(garner_dtype_bytes(22) == 0);
  CHECK(garner_dtype_bytes(std::numeric_limits<int32_t>::min()) == 0);
}

TEST_CASE("status and type numbers are pinned") {
  const int32_t statuses[] = {GARNER_OK,          GARNER_INVALID_ARGUMENT, GARNER_INVALID_SHAPE,
                              GARNER_UNSUPPORTED, GARNER_OUT_OF_BOUNDS,    GARNER_OUT_OF_MEMORY,
                              GARNER_OVERLAP,     GARNER_CALLBACK_FAILED,  GARNER_VERSION,
                              GARNER_INTERNAL};
  for (int32_t i = 0; i < 10; ++i) CHECK(statuses[i] == i);
  CHECK(GARNER_FLOAT32 == 1);
  CHECK(GARNER_INT64 == 7);
  CHECK(GARNER_STRING == 8);
  CHECK(GARNER_BFLOAT16 == 16);
  CHECK(GARNER_OPAQUE == 0x10000);
}
