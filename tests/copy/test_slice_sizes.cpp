// SPDX-License-Identifier: Apache-2.0
// Slices of every size from 1 to 300 bytes, with guard pages at the ends of all buffers, on every form of the copy path.
//   GARNER_TEST_SEED  seed of the bytes and indices
#include <iostream>

#include "tests/copy/copy_forms.h"
#include "tests/copy/slice_gather.h"
#include "tests/support/catch.h"

using namespace garner_test;

namespace {

constexpr int64_t largest_slice = 300;
constexpr garner_dtype index_types[] = {GARNER_INT64,  GARNER_INT32, GARNER_UINT8,  GARNER_INT16,
                                        GARNER_UINT64, GARNER_INT8,  GARNER_UINT32, GARNER_UINT16};

// Inputs that touch a guard page in half of the turns, and lie anywhere in the others.
void place_inputs(SliceGather& gather, size_t turn, Random& random) {
  const auto anywhere = [&random] { return static_cast<size_t>(random.between(1, 63)); };
  const Edge edge = turn % 2 == 0 ? Edge::high : Edge::low;
  const Edge other = turn % 4 < 2 ? edge : edge == Edge::low ? Edge::high : Edge::low;
  if (turn % 8 < 4) {
    gather.place_inputs({edge, 0}, {other, 0});
  } else {
    gather.place_inputs({edge, anywhere()}, {other, anywhere()});
  }
}

// The output begins at each misalignment that is a multiple of `step`, at both edges. Returns the number of executions and
// adds to `wrong`.
int64_t run_everywhere(SliceGather& gather, size_t step, Random& random, std::string& wrong) {
  int64_t executions = 0;
  for (size_t misalignment = 0; misalignment < 64; misalignment += step) {
    if (misalignment % 8 < step) place_inputs(gather, misalignment / 8, random);
    for (const Edge edge : {Edge::low, Edge::high}) {
      const std::string one = gather.run(misaligned(gather.output_bytes(), edge, misalignment));
      if (!one.empty() && wrong.size() < 500) wrong += one + "\n";
      ++executions;
    }
  }
  return executions;
}

Random seeded(uint64_t& seed) {
  seed = test_seed();
  std::cout << "seed " << seed << std::endl;
  return Random(seed);
}

void report(const Families& families) {
  std::cout << "executions:" << to_text(families) << std::endl;
  const std::string absent = absent_copy_forms();
  if (!absent.empty()) WARN("NOT RUN, the CPU or the build lacks them: " << absent);
}

}  // namespace

TEST_CASE("every slice size at every misalignment") {
  uint64_t seed = 0;
  Random random = seeded(seed);
  INFO("replay with GARNER_TEST_SEED=" << seed);
  SliceBuffers buffers(16 * 1024, 32 * 1024);
  Families families;
  for (const CopyForm& form : copy_forms()) {
    INFO(name(form));
    for (int64_t bytes = 1; bytes <= largest_slice; ++bytes) {
      INFO("slices of " << bytes << " bytes");
      SliceShape shape{11, 13 + bytes % 8, bytes};
      shape.index_type = index_types[bytes % 8];
      std::string wrong;
      for (const int32_t path : {GARNER_PATH_COPY, GARNER_PATH_AUTO}) {
        // Without being asked to, only slices as wide as an element go another way.
        if (path == GARNER_PATH_AUTO && bytes > 16) continue;
        SliceGather gather(context_for(form, path), shape, buffers, random);
        CHECK(wrong_kernel(gather.kernel(), form, path, bytes, false) == "");
        families[kernel_family(gather.kernel())] += run_everywhere(gather, 1, random, wrong);
      }
      shape.output_gap = random.pick({1, 7, 16, 33, 64});
      SliceGather apart(context_for(form, GARNER_PATH_COPY), shape, buffers, random);
      families[kernel_family(apart.kernel())] += run_everywhere(apart, 5, random, wrong);
      CHECK(wrong == "");
    }
  }
  report(families);
  // Each form had its turn: the movers of its ISA, at least ten of them, and what is its own.
  for (const CopyForm& form : copy_forms()) {
    INFO(name(form));
    const std::string isa = "__" + name(form).substr(name(form).rfind('-') + 1);
    int64_t movers = 0;
    for (const auto& [family, count] : families) {
      const bool is_mover = family.rfind("copy_rows_", 0) == 0 && family.size() > isa.size() &&
                            family.compare(family.size() - isa.size(), isa.size(), isa) == 0;
      if (is_mover) ++movers;
    }
    CHECK(movers >= 10);
    CHECK(families["copy_rows_wide" + isa] > 0);
    if (form.copying == Copying::streamed) CHECK(families["copy_rows_wide_nt" + isa] > 0);
    if (form.copying == Copying::by_default && GARNER_HAVE_JIT) CHECK(families["copy_slices" + isa] > 0);
  }
}

TEST_CASE("slices of tables that are prefetched") {
  uint64_t seed = 0;
  Random random = seeded(seed);
  INFO("replay with GARNER_TEST_SEED=" << seed);
  const int64_t table_bytes = bytes_near() + 8192;
  SliceBuffers buffers(static_cast<size_t>(table_bytes) + 65536, 128 * 1024);
  Families families;
  for (const CopyForm& form : copy_forms()) {
    INFO(name(form));
    for (const int64_t bytes : {63, 64, 65, 96, 127, 128, 161, 224, 256, 257, 300}) {
      INFO("slices of " << bytes << " bytes");
      SliceShape shape{table_bytes / bytes + 1, 40 + bytes % 8, bytes};
      shape.index_type = bytes % 2 == 0 ? GARNER_INT64 : GARNER_UINT32;
      SliceGather gather(context_for(form, GARNER_PATH_COPY), shape, buffers, random);
      CHECK(wrong_kernel(gather.kernel(), form, GARNER_PATH_COPY, bytes, true) == "");
      std::string wrong;
      for (const Edge edge : {Edge::low, Edge::high}) {
        gather.place_inputs({edge, 0}, {edge, 0});
        for (size_t misalignment = 0; misalignment < 64; misalignment += 3) {
          wrong += gather.run(misaligned(gather.output_bytes(), edge, misalignment));
          ++families[kernel_family(gather.kernel())];
        }
      }
      CHECK(wrong == "");
    }
  }
  report(families);
  CHECK(families.size() > 3);
}

TEST_CASE("more slices than one block of offsets holds") {
  uint64_t seed = 0;
  Random random = seeded(seed);
  INFO("replay with GARNER_TEST_SEED=" << seed);
  SliceBuffers buffers(256 * 1024, 256 * 1024);
  for (const CopyForm& form : copy_forms()) {
    for (const int64_t tuples : {255, 256, 257, 511, 512, 513, 770}) {
      for (const int64_t bytes : {3, 12, 31, 48, 64, 100, 256, 260}) {
        for (const Order order : {Order::random, Order::consecutive, Order::nearly}) {
          INFO(name(form) << ": " << tuples << " slices of " << bytes << " bytes, order " << static_cast<int>(order));
          SliceShape shape{order == Order::random ? 100 : tuples + tuples % 2, tuples, bytes};
          shape.order = order;
          SliceGather gather(context_for(form, GARNER_PATH_COPY), shape, buffers, random);
          std::string wrong;
          for (const Edge edge : {Edge::low, Edge::high}) {
            gather.place_inputs({edge, 0}, {edge, 0});
            wrong += gather.run({edge, 0});
            wrong += gather.run({edge, static_cast<size_t>(random.between(1, 63))});
          }
          CHECK(wrong == "");
        }
      }
    }
  }
}
