// SPDX-License-Identifier: Apache-2.0
// A gather of slices between guard pages: wherever its buffers lie, the output must be what a plain loop copies, and no other
// byte may be read or written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/property/guarded_buffer.h"
#include "tests/property/random.h"
#include "tests/support/handles.h"

namespace garner_test {

enum class Order {
  random,
  consecutive,  // each tuple takes the row after that of the tuple before
  nearly,       // the same, but for pairs of tuples that changed places inside each block of offsets
};

// Bytes of data [rows, runs, run_bytes], indices [tuples, 1].
struct SliceShape {
  int64_t rows;
  int64_t tuples;
  int64_t run_bytes;
  int64_t runs = 1;
  int64_t run_gap = 0;     // between the runs of a slice in data; above 0 it is 1 slice of `runs` runs
  int64_t output_gap = 0;  // between slices in the output
  garner_dtype index_type = GARNER_INT64;
  Order order = Order::random;
  int64_t slice_bytes() const { return runs * run_bytes; }
};

struct Place {
  Edge edge;
  size_t gap;
};
// Where `bytes` begin `misalignment` (below 64) bytes behind a line, as close to the edge as they can.
Place misaligned(size_t bytes, Edge edge, size_t misalignment);

// Buffers that problems share: to map them anew for each would take longer than to run it.
struct SliceBuffers {
  SliceBuffers(size_t data_capacity, size_t output_capacity)
      : data(data_capacity), indices(64 * 1024), output(output_capacity) {}
  GuardedBuffer data, indices, output;
};

class SliceGather {
 public:
  SliceGather(garner_context* context, const SliceShape& shape, SliceBuffers& buffers, Random& random);
  SliceGather(const SliceGather&) = delete;
  SliceGather& operator=(const SliceGather&) = delete;

  const std::string& kernel() const { return kernel_; }
  size_t data_bytes() const { return data_.size(); }
  size_t index_bytes() const { return indices_.size(); }
  size_t output_bytes() const { return expected_.size(); }

  // Puts data and indices where no write is allowed.
  void place_inputs(Place data, Place indices);
  // Executes once. Empty when all is well, otherwise what was wrong.
  std::string run(Place output);

 private:
  void choose_indices(Random& random);
  void expect();
  void make_plan(garner_context* context);

  SliceShape shape_;
  SliceBuffers& buffers_;
  std::vector<int64_t> values_;
  std::vector<uint8_t> data_, indices_;
  std::vector<uint8_t> expected_;
  std::vector<uint8_t> before_;  // differs from expected_ in each byte of a slice and in none between them
  PlanHandle plan_;
  std::string kernel_;
};

}  // namespace garner_test
