// SPDX-License-Identifier: Apache-2.0
// Tensors without elements: no tuples, empty slices, null pointers.
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace garner_test;

namespace {

// Plans on every route and executes with the given sizes; buffers of size 0 are NULL.
void execute_without_buffers(const garner_op& op, const Tensor& data, const Tensor& index, bool with_indices,
                             garner_status expected) {
  const garner_tensor data_tensor = data.descriptor();
  const garner_tensor index_tensor = index.descriptor();
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    garner_plan* created = nullptr;
    const garner_status planned =
        garner_plan_create(context_for(route), &op, &data_tensor, &index_tensor, nullptr, &created, nullptr);
    const PlanHandle plan(created);
    if (planned == GARNER_UNSUPPORTED && route.path != GARNER_PATH_AUTO && route.path != GARNER_PATH_SCALAR) continue;
    REQUIRE(planned == GARNER_OK);
    garner_args args = arguments();
    if (with_indices) {
      args.indices = index.bytes.data();
      args.indices_bytes = index.bytes.size();
    }
    garner_error error = no_error();
    const garner_status status = garner_plan_execute(plan.get(), &args, &error);
    INFO(error.text);
    CHECK(status == expected);
    CHECK(garner_execute(context_for(route), &op, &data_tensor, &index_tensor, nullptr, &args, nullptr) == expected);
  }
}

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("no tuples: success with null pointers") {
  execute_without_buffers(gather_nd(), arange<float>({3}), indices({0, 1}, {}), false, GARNER_OK);
  execute_without_buffers(gather_nd(), arange<float>({3, 4}), indices({5, 0, 2}, {}), false, GARNER_OK);
  execute_without_buffers(gather_nd(), arange<float>({0}), indices({0, 1}, {}), false, GARNER_OK);
  execute_without_buffers(gather_elements(0), arange<float>({3, 4}), indices({0, 4}, {}), false, GARNER_OK);
  execute_without_buffers(gather_elements(1), arange<float>({3, 4}), indices({3, 0}, {}), false, GARNER_OK);
  execute_without_buffers(gather_nd(1), arange<float>({0, 3}), indices({0, 1}, {}), false, GARNER_OK);
}

TEST_CASE("empty slices: indices alone are needed and are checked") {
  execute_without_buffers(gather_nd(), arange<float>({2, 0}), indices({3, 1}, {0, 1, -1}), true, GARNER_OK);
  execute_without_buffers(gather_nd(), arange<float>({2, 0}), indices({3, 1}, {0, 2, -1}), true, GARNER_OUT_OF_BOUNDS);
  execute_without_buffers(gather_nd(), arange<float>({2, 0}), indices({3, 1}, {0, 1, -1}), false,
                          GARNER_INVALID_ARGUMENT);
}

TEST_CASE("shapes of empty results") {
  expect_everywhere({gather_nd(), arange<float>({3, 4}), indices({0, 1}, {})}, answer({0, 4}, Floats{}));
  expect_everywhere({gather_nd(), arange<float>({0, 4}), indices({0, 1}, {})}, answer({0, 4}, Floats{}));
  expect_everywhere({gather_nd(1), arange<float>({0, 4}), indices({0, 1}, {})}, answer({0}, Floats{}));
  expect_everywhere({gather_nd(), arange<float>({2, 3, 0}), indices({2, 2}, {0, 0, 1, 2})}, answer({2, 0}, Floats{}));
  expect_everywhere({gather_elements(1), arange<float>({3, 4}), indices({0, 9}, {})}, answer({0, 9}, Floats{}));
}

TEST_CASE("bad indices of empty slices are named like any other") {
  const Tensor data = arange<float>({2, 3, 0});
  expect_everywhere({gather_nd(), data, indices({2, 2}, {0, 0, 1, 3})}, out_of_bounds(1, 1, 1, 3, 3));
  expect_everywhere({gather_elements(0), arange<float>({0}), indices({1}, {0})}, out_of_bounds(0, 0, 0, 0, 0));
  for (int32_t bounds : {GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO}) {
    expect_everywhere({with_policy(gather_nd(), bounds), data, indices({2, 2}, {0, 0, 1, 3})},
                      answer({2, 0}, Floats{}));
  }
}
