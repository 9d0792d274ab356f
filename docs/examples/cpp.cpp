// SPDX-License-Identifier: Apache-2.0
// C++17: exceptions for what should not happen, a status where a failure is expected.
//
// Prints:
//   shape 2x2: 12 10 20 21
//   12 0 20 0
//   OUT_OF_BOUNDS: indices[0,1] = 9 is out of bounds for axis 1 of data, extent 3 (allowed -3..2)
#include <garner/garner.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

void print(const std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) std::printf(i == 0 ? "%g" : " %g", static_cast<double>(values[i]));
  std::printf("\n");
}

}  // namespace

int main() {
  const std::vector<float> data = {10, 11, 12, 20, 21, 22};
  const std::vector<int32_t> indices = {2, 0, 0, 1}, bad = {2, 9, 0, 9};
  const auto data_tensor = garner::Tensor::of<float>({2, 3});
  const auto indices_tensor = garner::Tensor::of<int32_t>({2, 2});
  const garner_op op = garner::gather_elements(/*axis=*/1);
  try {
    const garner::Shape shape = garner::infer_shape(op, data_tensor, indices_tensor);
    std::vector<float> output(static_cast<size_t>(shape.count()));
    std::printf("shape %dx%d: ", static_cast<int>(shape[0]), static_cast<int>(shape[1]));

    const garner::Plan plan(op, data_tensor, indices_tensor);
    plan.execute(garner::Args(data, indices, output));
    print(output);

    // Zeros where an index is out of bounds.
    const garner::Plan forgiving(garner::gather_elements(1, garner::Bounds::zero), data_tensor, indices_tensor);
    forgiving.execute(garner::Args(data, bad, output));
    print(output);

    garner::Error error;
    const garner_status status = plan.execute(garner::Args(data, bad, output), error);
    std::printf("%s: %s\n", garner_status_name(status), error.text);
  } catch (const garner::Exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return 1;
  }
  return 0;
}
