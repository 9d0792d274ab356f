// SPDX-License-Identifier: Apache-2.0
#include "tests/copy/shard_problem.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace garner_test {
namespace {

constexpr garner_dtype dtypes[] = {GARNER_UINT8, GARNER_INT16, GARNER_FLOAT32, GARNER_FLOAT64, GARNER_COMPLEX128};
constexpr int64_t most_output_bytes = 40 * 1024;

std::string to_text(const Shape& shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) text += (d > 0 ? "," : "") + std::to_string(shape[d]);
  return text + "]";
}

ShardProblem problem_of(const char* kind, garner_op op, Tensor data, Shape index_shape,
                        const std::vector<int64_t>& values) {
  ShardProblem result{{op, std::move(data), indices(std::move(index_shape), values)}, kind};
  const Problem& problem = result.problem;
  result.text += std::string(": ") + garner_dtype_name(problem.data.dtype) + " " + to_text(problem.data.shape) +
                 ", indices " + to_text(problem.indices.shape);
  return result;
}

std::vector<int64_t> random_indices(int64_t count, int64_t extent, Random& random) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (int64_t& value : values) value = random.between(random.chance(0.1) ? -extent : 0, extent - 1);
  return values;
}

// Rows of a table, of which `tuples` are taken.
ShardProblem rows(const char* kind, garner_dtype dtype, int64_t count, int64_t width, int64_t tuples, Random& random) {
  return problem_of(kind, gather_nd(), patterned(dtype, 0, {count, width}), {tuples, 1},
                    random_indices(tuples, count, random));
}

ShardProblem few_long_slices(garner_dtype dtype, Random& random) {
  const int64_t tuples = random.between(1, 5);
  const int64_t most = most_output_bytes / tuples / garner_dtype_bytes(dtype);
  const int64_t width = random.chance(0.3) ? random.between(1, std::min<int64_t>(most, 700)) : random.between(1, most);
  return rows("few long slices", dtype, random.between(1, 4), width, tuples, random);
}

ShardProblem one_slice(garner_dtype dtype, Random& random) {
  const int64_t width = random.between(1, most_output_bytes / garner_dtype_bytes(dtype));
  return rows("one slice", dtype, 2, width, 1, random);
}

ShardProblem many_short_slices(garner_dtype dtype, Random& random) {
  const int64_t width = random.between(1, 40);
  const int64_t most = most_output_bytes / width / garner_dtype_bytes(dtype);
  return rows("many short slices", dtype, random.between(1, 100), width, random.between(6, most), random);
}

ShardProblem nests_of_runs(garner_dtype dtype, Random& random) {
  const int64_t count = random.between(1, 4), runs = random.between(2, 20), gap = random.between(1, 9);
  const int64_t tuples = random.between(1, 6);
  const int64_t width = random.between(1, most_output_bytes / tuples / runs / garner_dtype_bytes(dtype));
  ShardProblem result = rows("nests of runs", dtype, count, runs * (width + gap), tuples, random);
  result.problem.data.shape = {count, runs, width};
  result.problem.data.strides = Shape{runs * (width + gap), width + gap, 1};
  result.text += " as " + to_text(result.problem.data.shape);
  return result;
}

ShardProblem one_row(garner_dtype dtype, Random& random) {
  const int64_t extent = random.between(1, 3000);
  const int64_t count = random.between(1, most_output_bytes / garner_dtype_bytes(dtype));
  return problem_of("one row of GatherElements", gather_elements(1), patterned(dtype, 0, {1, extent}), {1, count},
                    random_indices(count, extent, random));
}

// Dims that do not collapse: the indices are smaller than data.
ShardProblem elements_of_many_dims(garner_dtype dtype, Random& random) {
  const int64_t axis = random.between(0, 3);
  Shape data_shape, index_shape;
  for (int64_t d = 0; d < 4; ++d) {
    data_shape.push_back(random.between(1, 9));
    index_shape.push_back(d == axis ? random.between(1, 12) : random.between(1, data_shape.back()));
  }
  const int64_t count = element_count(index_shape);
  const int64_t extent = data_shape[static_cast<size_t>(axis)];
  return problem_of("GatherElements of many dims", gather_elements(axis), patterned(dtype, 0, data_shape), index_shape,
                    random_indices(count, extent, random));
}

ShardProblem batches(garner_dtype dtype, Random& random) {
  const int64_t outer = random.between(1, 5), inner = random.between(1, 5), tuples = random.between(1, 9);
  const int64_t extent = random.between(1, 20), width = random.between(1, 50);
  return problem_of("batches", gather_nd(2), patterned(dtype, 0, {outer, inner, extent, width}),
                    {outer, inner, tuples, 1}, random_indices(outer * inner * tuples, extent, random));
}

// The extent that all indices have in common.
int64_t indexed_extent(const Problem& problem) {
  const bool elements = problem.op.kind == GARNER_GATHER_ELEMENTS_ONNX;
  return problem.data.shape[static_cast<size_t>(elements ? problem.op.axis : problem.op.batch_dims)];
}

void plant(Problem& problem, int64_t position, int64_t value) {
  std::memcpy(problem.indices.bytes.data() + 8 * position, &value, 8);
}

void plant_bad_indices(ShardProblem& given, Random& random, int32_t most_workers) {
  const int64_t count = element_count(given.problem.indices.shape);
  const int64_t extent = indexed_extent(given.problem);
  const int64_t bad = random.between(1, 5);
  for (int64_t i = 0; i < bad; ++i) {
    const int64_t threads = random.between(1, most_workers);
    const int64_t near_cut = count * random.between(0, threads) / threads + random.between(-1, 1);
    const int64_t position =
        random.chance(0.7) ? std::clamp<int64_t>(near_cut, 0, count - 1) : random.between(0, count - 1);
    const int64_t value = random.chance(0.5) ? extent + random.between(0, 1000) : -extent - 1 - random.between(0, 1000);
    plant(given.problem, position, value);
    given.text += ", " + std::to_string(value) + " at " + std::to_string(position);
  }
}

}  // namespace

ShardProblem random_shard_problem(Random& random, int32_t most_workers) {
  constexpr ShardProblem (*kinds[])(garner_dtype, Random&) = {
      few_long_slices, one_slice, many_short_slices, nests_of_runs, one_row, elements_of_many_dims, batches};
  ShardProblem given = kinds[random.between(0, 6)](dtypes[random.between(0, 4)], random);
  given.problem.op.bounds = random.pick(
      {GARNER_BOUNDS_ERROR, GARNER_BOUNDS_ERROR, GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO});
  given.text += ", policy " + std::to_string(given.problem.op.bounds);
  if (random.chance(0.5)) plant_bad_indices(given, random, most_workers);
  return given;
}

std::vector<ShardProblem> hard_shard_problems() {
  Random random(1);
  std::vector<ShardProblem> problems = {
      rows("three slices", GARNER_FLOAT32, 5, 5001, 3, random),
      rows("one very long slice", GARNER_UINT8, 2, 250003, 1, random),
      problem_of("one row of GatherElements", gather_elements(1), patterned(GARNER_FLOAT32, 0, {1, 1000}), {1, 20011},
                 random_indices(20011, 1000, random)),
      rows("many short slices", GARNER_FLOAT32, 100, 7, 4001, random),
      rows("slices too short to be cut", GARNER_UINT8, 3, 511, 2, random),
  };
  const size_t right = problems.size();
  for (size_t i = 0; i < right; ++i) {
    ShardProblem bad = problems[i];
    const int64_t count = element_count(bad.problem.indices.shape);
    // Several, the later ones in shards that may well end first.
    for (const int64_t position : {count / 3, count / 2, count - 1}) plant(bad.problem, position, 1000000 + position);
    bad.text += ", with bad indices";
    problems.push_back(std::move(bad));
  }
  return problems;
}

}  // namespace garner_test
