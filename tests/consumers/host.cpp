// SPDX-License-Identifier: Apache-2.0
// The program of README.md through garner.hpp: with exceptions where the compiler has them, else with statuses.
#include <garner/garner.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> data = {10, 11, 12, 20, 21, 22};
  const std::vector<int64_t> indices = {0, 2, 1, -1, 1, 0}, bad = {0, 2, 1, 7, 1, 0};
  std::vector<float> output(3);
  const garner::Tensor matrix = garner::Tensor::of<float>({2, 3}), places = garner::Tensor::of<int64_t>({3, 2});

  int64_t failed_at = -1;
#if GARNER_HAS_EXCEPTIONS
  const garner::Plan plan(garner::gather_nd(), matrix, places);
  try {
    plan.execute(garner::Args(data, bad, output));
  } catch (const garner::Exception& exception) {
    failed_at = exception.error().position;
  }
  plan.execute(garner::Args(data, indices, output));
#else
  garner::Error error;
  const garner::Plan plan = garner::Plan::create(garner::gather_nd(), matrix, places, error);
  if (!plan) return 2;
  if (plan.execute(garner::Args(data, bad, output), error) == GARNER_OUT_OF_BOUNDS) failed_at = error.position;
  if (plan.execute(garner::Args(data, indices, output), error) != GARNER_OK) return 3;
#endif
  if (failed_at != 1) return 4;
  std::printf("%g %g %g\n", static_cast<double>(output[0]), static_cast<double>(output[1]),
              static_cast<double>(output[2]));
  return 0;
}
