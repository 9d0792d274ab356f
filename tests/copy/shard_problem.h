// SPDX-License-Identifier: Apache-2.0
// Problems for the cutting of work: few long slices, nests of runs, one long row, many short slices, batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/property/random.h"
#include "tests/support/run.h"

namespace garner_test {

struct ShardProblem {
  Problem problem;
  std::string text;  // what it is
};

// Some have bad indices, most of these next to where `most_workers` or fewer threads would cut the tuples.
ShardProblem random_shard_problem(Random& random, int32_t most_workers);

// 3 tuples, one very long slice, one row of GatherElements, many short slices; each once right and once with bad indices.
std::vector<ShardProblem> hard_shard_problems();

}  // namespace garner_test
