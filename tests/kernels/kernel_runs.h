// SPDX-License-Identifier: Apache-2.0
// Runs one emitted kernel on made-up arguments between guard pages and compares it with the scalar kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jit/kernel_key.h"
#include "runtime/kernel.h"
#include "tests/property/guarded_buffer.h"
#include "tests/property/random.h"

namespace garner_test {

// How the index values are drawn.
enum class Values {
  valid,     // all in [0, extent)
  negative,  // valid, a third of them counted from the end
  rows,      // long stretches of one value
  extreme,   // some at and beyond every edge of the type and of the axis
  one_bad,   // a single bad value anywhere
};
inline constexpr Values all_values[] = {Values::valid, Values::negative, Values::rows, Values::extreme,
                                        Values::one_bad};
const char* values_name(Values values);

struct RunRequest {
  int64_t count = 1;
  Edge edge = Edge::high;  // the guard page that all three buffers touch
  size_t gap = 0;          // bytes between it and them
  Values values = Values::valid;
  bool one_row = true;  // false: rows of a random length with gaps between them, where the lane form has any
  std::string text() const;
};

std::string key_name(const garner::jit::KernelKey& key);
// The most elements that the table body holds for a key.
int64_t table_capacity(const garner::jit::KernelKey& key);

// Random arguments that a kernel of a key may be given. Pointers are offsets until `place` is called.
struct KernelProblem {
  garner::GatherProblem problem;
  garner::KernelArgs args;
  // Byte offsets of each position relative to the first one.
  std::vector<int64_t> data_at, index_at, output_at;
  // Bytes before and after the first position's address that all positions and valid tuples together cover.
  int64_t data_low, data_high, index_low, index_high, output_low, output_high;
};
KernelProblem make_problem(const garner::jit::KernelKey& key, int64_t count, bool one_row, Random& random);

// The value of an index of the given type as draw by `values`, in its lowest bytes.
uint64_t draw_index(garner::IndexType type, int64_t extent, Values values, Random& random);
// Writes all index tuples of a problem.
void write_indices(const KernelProblem& p, std::byte* first_position, Values values, Random& random);

class KernelRuns {
 public:
  KernelRuns();
  // What went wrong; empty when all is well.
  std::string run(const garner::jit::KernelKey& key, garner::KernelFunction function, const RunRequest& request,
                  Random& random);
  int64_t runs() const { return runs_; }
  int64_t short_returns() const { return short_returns_; }

 private:
  std::string place_of(const void* address) const;

  GuardedBuffer data_;
  GuardedBuffer indices_;
  GuardedBuffer output_;
  std::vector<std::byte> pool_;       // random bytes
  std::vector<std::byte> reference_;  // output of the scalar kernel
  std::vector<unsigned char> covered_;
  int64_t runs_ = 0;
  int64_t short_returns_ = 0;
};

}  // namespace garner_test
