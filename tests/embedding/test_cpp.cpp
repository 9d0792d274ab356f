// SPDX-License-Identifier: Apache-2.0
// garner.hpp: ownership, both ways of failing, buffers, shapes and threads. What the calls compute is tested elsewhere.
#include <garner/garner.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/support/catch.h"

namespace {

// No cost over C: owners are one pointer, the rest is the C struct itself, and nothing is virtual.
static_assert(sizeof(garner::Plan) == sizeof(garner_plan*));
static_assert(sizeof(garner::Context) == sizeof(garner_context*));
static_assert(sizeof(garner::Args) == sizeof(garner_args));
static_assert(sizeof(garner::Error) == sizeof(garner_error));
static_assert(sizeof(garner::ContextOptions) == sizeof(garner_context_options));
static_assert(std::is_trivially_copyable_v<garner::Args> && std::is_trivially_copyable_v<garner::Tensor>);

static_assert(!std::is_copy_constructible_v<garner::Plan> && !std::is_copy_assignable_v<garner::Plan>);
static_assert(!std::is_copy_constructible_v<garner::Context> && !std::is_copy_assignable_v<garner::Context>);
static_assert(std::is_nothrow_move_constructible_v<garner::Plan> && std::is_nothrow_move_assignable_v<garner::Plan>);
static_assert(std::is_nothrow_move_constructible_v<garner::Context>);

static_assert(garner::dtype_of<float> == GARNER_FLOAT32 && garner::dtype_of<const double> == GARNER_FLOAT64);
static_assert(garner::dtype_of<int8_t> == GARNER_INT8 && garner::dtype_of<uint8_t> == GARNER_UINT8);
static_assert(garner::dtype_of<int16_t> == GARNER_INT16 && garner::dtype_of<uint16_t> == GARNER_UINT16);
static_assert(garner::dtype_of<int32_t> == GARNER_INT32 && garner::dtype_of<uint32_t> == GARNER_UINT32);
static_assert(garner::dtype_of<long> == GARNER_INT64 && garner::dtype_of<long long> == GARNER_INT64);
static_assert(garner::dtype_of<unsigned long> == GARNER_UINT64 && garner::dtype_of<bool> == GARNER_BOOL);

const garner::Tensor matrix = garner::Tensor::of<float>({2, 3});
const garner::Tensor places = garner::Tensor::of<int64_t>({3, 2});
const std::vector<float> data = {10, 11, 12, 20, 21, 22};
const std::vector<int64_t> indices = {0, 2, 1, -1, 1, 0};
const std::vector<float> expected = {12, 22, 20};

struct Pool {
  int calls = 0;
  int concurrency() const { return 3; }
  template <class Function>
  void parallel_for(int n, Function function) {
    ++calls;
    std::vector<std::thread> threads;
    for (int i = 1; i < n; ++i) threads.emplace_back([&function, i] { function(i); });
    function(0);
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace

TEST_CASE("a plan gathers from vectors, arrays and pointers") {
  const garner::Plan plan(garner::gather_nd(), matrix, places);
  REQUIRE(plan);
  std::vector<float> into_vector(3);
  plan.execute(garner::Args(data, indices, into_vector));
  CHECK(into_vector == expected);

  float into_array[3] = {};
  plan.execute(garner::Args(data, indices, into_array));
  CHECK(std::memcmp(into_array, expected.data(), sizeof(into_array)) == 0);

  std::array<float, 3> into_pointer = {};
  plan.execute(garner::Args(data.data(), data.size(), indices.data(), indices.size(), into_pointer.data(), 3));
  CHECK(std::memcmp(into_pointer.data(), expected.data(), sizeof(into_pointer)) == 0);
}

TEST_CASE("a failure is an exception or a status, with the same error") {
  const garner::Plan plan(garner::gather_nd(), matrix, places);
  const std::vector<int64_t> bad = {0, 0, 1, 3, 0, 0};
  std::vector<float> output(3);

  garner::Error error;
  CHECK(plan.execute(garner::Args(data, bad, output), error) == GARNER_OUT_OF_BOUNDS);
  CHECK(error);
  CHECK(error.position == 1);
  CHECK(error.axis == 1);
  CHECK(error.value == 3);
  try {
    plan.execute(garner::Args(data, bad, output));
    FAIL("no exception");
  } catch (const garner::Exception& exception) {
    CHECK(exception.status() == GARNER_OUT_OF_BOUNDS);
    CHECK(exception.error().position == 1);
    CHECK(std::string(exception.what()) == error.text);
  }

  CHECK(plan.execute(garner::Args(data, indices, output), error) == GARNER_OK);
  CHECK_FALSE(error);
  CHECK(output == expected);
}

TEST_CASE("what cannot be planned gives an empty plan or an exception") {
  const garner::Tensor too_deep = garner::Tensor::of<int64_t>({1, 3});
  garner::Error error;
  CHECK_FALSE(garner::Plan::create(garner::gather_nd(), matrix, too_deep, error));
  CHECK(error.status == GARNER_INVALID_SHAPE);
  CHECK_THROWS_AS(garner::Plan(garner::gather_nd(), matrix, too_deep), garner::Exception);

  const garner::Plan none;
  CHECK_FALSE(none);
  CHECK(none.describe().empty());
  std::vector<float> output(3);
  CHECK(none.execute(garner::Args(data, indices, output), error) == GARNER_INVALID_ARGUMENT);
}

TEST_CASE("plans and contexts move") {
  garner::ContextOptions options;
  options.path = GARNER_PATH_SCALAR;
  garner::Context context(options);
  garner::Plan first(context, garner::gather_nd(), matrix, places);
  {
    const garner::Context owner = std::move(context);  // and ends here: the plan keeps it alive
    CHECK_FALSE(context);
  }
  garner::Plan second(std::move(first));
  CHECK_FALSE(first);
  garner::Plan third;
  third = std::move(second);
  REQUIRE(third);
  std::vector<float> output(3);
  third.execute(garner::Args(data, indices, output));
  CHECK(output == expected);
  CHECK(third.describe().find("path=scalar\n") != std::string::npos);
  garner_plan* raw = third.release();
  CHECK_FALSE(third);
  garner_plan_destroy(raw);
}

TEST_CASE("contexts refuse wrong options, and prepare and trim") {
  garner::ContextOptions wrong;
  wrong.max_isa = 77;
  garner::Error error;
  CHECK_FALSE(garner::Context::create(wrong, error));
  CHECK(error.status == GARNER_INVALID_ARGUMENT);
  CHECK_THROWS_AS(garner::Context(wrong), garner::Exception);

  const garner::Context context = garner::Context::create(garner::ContextOptions(), error);
  REQUIRE(context);
  context.prepare(garner::gather_nd(), GARNER_FLOAT32, GARNER_INT64, 2);
  CHECK(context.prepare(garner::gather_nd(), GARNER_FLOAT32, GARNER_FLOAT32, 2, 0, error) == GARNER_UNSUPPORTED);
  CHECK_THROWS_AS(context.prepare(garner::gather_nd(), GARNER_FLOAT32, GARNER_FLOAT32, 2), garner::Exception);
  CHECK(context.trim(0) == GARNER_OK);
}

TEST_CASE("shapes are inferred, compared and refused") {
  const garner::Shape shape = garner::infer_shape(garner::gather_nd(), matrix, garner::Tensor::of<int32_t>({4, 1}));
  CHECK(shape == garner::Shape({4, 3}));
  CHECK(shape != garner::Shape({4}));
  CHECK(shape != garner::Shape({4, 2}));
  CHECK(shape.count() == 12);
  const garner::Tensor one = garner::Tensor::of<int32_t>({2});
  CHECK(garner::infer_shape(garner::gather_nd(), matrix, one).count() == 1);  // rank 0

  const std::vector<int64_t> seventeen(17, 1);
  const garner::Tensor too_many = garner::Tensor::of<float>(garner::Shape(seventeen.data(), seventeen.size()));
  garner::Error error;
  CHECK(garner::infer_shape(garner::gather_nd(), too_many, one, error).rank() == 0);
  CHECK(error.status == GARNER_UNSUPPORTED);
  CHECK_THROWS_AS(garner::infer_shape(garner::gather_nd(), too_many, one), garner::Exception);

  garner::Tensor unequal = matrix;
  unequal.strides({1});
  CHECK_FALSE(garner::Plan::create(garner::gather_nd(), unequal, places, error));
}

TEST_CASE("layouts, operators and policies reach the library") {
  const float column_major[] = {-1, 10, 20, 11, 21, 12, 22};
  garner::Tensor transposed = garner::Tensor::of<float>({2, 3});
  transposed.strides({1, 2}).byte_offset(sizeof(float));
  std::vector<float> output(3);
  garner::Plan(garner::gather_nd(), transposed, places).execute(garner::Args(column_major, indices, output));
  CHECK(output == expected);

  const std::vector<int32_t> columns = {2, 9, 0, -1};
  const garner::Tensor small = garner::Tensor::of<int32_t>({2, 2});
  std::vector<float> picked(4);
  garner::execute(garner::Context(), garner::gather_elements(1, garner::Bounds::zero, garner::Negative::reject), matrix,
                  small, garner::Args(data, columns, picked));
  CHECK(picked == std::vector<float>{12, 0, 20, 0});
  garner::Error error;
  CHECK(garner::execute(garner::Context(), garner::gather_elements(1), matrix, small,
                        garner::Args(data, columns, picked), error) == GARNER_OUT_OF_BOUNDS);
  CHECK_THROWS_AS(garner::execute(garner::Context(), garner::gather_elements(1), matrix, small,
                                  garner::Args(data, columns, picked)),
                  garner::Exception);

  CHECK(garner::infer_shape(garner::openvino_gather_nd_5(2), garner::Tensor::of<float>({2, 3, 4}),
                            garner::Tensor::of<int32_t>({2, 3, 1})) == garner::Shape({6}));
  CHECK(garner::infer_shape(garner::openvino_gather_nd_8(2), garner::Tensor::of<float>({2, 3, 4}),
                            garner::Tensor::of<int32_t>({2, 3, 1})) == garner::Shape({2, 3}));
  CHECK(garner::infer_shape(garner::gather_nd(), garner::Tensor::opaque(5, {7}), garner::Tensor::of<int32_t>({2, 1})) ==
        garner::Shape({2}));
}

TEST_CASE("an output layout, the host's threads and a copy function reach the library") {
  Pool pool;
  const garner_executor threads = garner::executor_of(pool);
  garner::ContextOptions options;
  options.min_shard_bytes = 0;
  const garner::Context context(options);
  garner::Tensor backwards = garner::Tensor::of<float>({3});
  backwards.strides({-1}).byte_offset(2 * sizeof(float));
  const garner::Plan plan(context, garner::gather_nd(), matrix, places, &backwards);
  std::vector<float> output(3);
  plan.execute(garner::Args(data, indices, output).with_executor(threads).with_threads(2));
  CHECK(output == std::vector<float>{20, 22, 12});

  const std::vector<int64_t> many(4096, 1);
  std::vector<float> copies(4096);
  garner::execute(context, garner::gather_nd(), garner::Tensor::of<float>({6}), garner::Tensor::of<int64_t>({4096, 1}),
                  garner::Args(data, many, copies).with_executor(threads));
  CHECK(copies == std::vector<float>(4096, 11));
  CHECK(pool.calls > 0);

  const std::vector<std::string> words = {"zero", "one", "two"};
  std::vector<std::string> chosen(2);
  const garner_copy_fn assign = [](void*, void* to, const void* from) -> int32_t {
    *static_cast<std::string*>(to) = *static_cast<const std::string*>(from);
    return 0;
  };
  garner::execute(garner::Context(), garner::gather_nd(),
                  garner::Tensor(GARNER_STRING, {3}).element_bytes(sizeof(std::string)),
                  garner::Tensor::of<int64_t>({2, 1}),
                  garner::Args(words, std::vector<int64_t>{2, 0}, chosen).with_copy(assign, nullptr));
  CHECK(chosen == std::vector<std::string>{"two", "zero"});
}
