// SPDX-License-Identifier: Apache-2.0
// Stores past the caches: every misalignment of the output, lengths around every boundary, slices that are dense, apart, or
// nests of runs.
//   GARNER_TEST_SEED  seed of the bytes and indices
#include <iostream>

#include "tests/copy/copy_forms.h"
#include "tests/copy/slice_gather.h"
#include "tests/support/catch.h"

using namespace garner_test;

namespace {

struct Lengths {
  std::vector<int64_t> streamed, ordinary;
};

// Shorter slices are streamed in units of 16 bytes only.
Lengths lengths() {
  return {{64,  80,  96,  128, 144, 160,  192,  240,  256,  320,  496,  512,
           513, 527, 575, 576, 577, 1000, 1023, 1024, 1025, 3001, 4096, 65536 + 1},
          {48, 63, 65, 72, 88, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511}};
}

std::vector<CopyForm> streamed_forms() {
  std::vector<CopyForm> forms;
  for (const CopyForm& form : copy_forms()) {
    if (form.copying == Copying::streamed) forms.push_back(form);
  }
  return forms;
}

bool streams(const SliceGather& gather) { return gather.kernel().find("_nt_") != std::string::npos; }

// At every misalignment; what was wrong with the first.
std::string run_misaligned(SliceGather& gather, Random& random) {
  std::string wrong;
  for (size_t misalignment = 0; misalignment < 64 && wrong.empty(); ++misalignment) {
    const Edge edge = misalignment % 2 == 0 ? Edge::low : Edge::high;
    if (misalignment % 16 == 0) gather.place_inputs({edge, static_cast<size_t>(random.between(0, 63))}, {edge, 0});
    if (misalignment % 16 == 8) gather.place_inputs({Edge::high, 0}, {Edge::high, 0});
    wrong = gather.run(misaligned(gather.output_bytes(), edge, misalignment));
    if (wrong.empty() && misalignment % 16 == 15) wrong = gather.run({Edge::high, 0});
  }
  return wrong;
}

}  // namespace

TEST_CASE("streamed slices at every misalignment") {
  if (streamed_forms().empty()) GARNER_TEST_SKIP("the CPU has none of the ISAs that stream");
  const uint64_t seed = test_seed();
  std::cout << "seed " << seed << std::endl;
  INFO("replay with GARNER_TEST_SEED=" << seed);
  Random random(seed);
  SliceBuffers buffers(256 * 1024, 512 * 1024);
  int64_t streamed = 0, ordinary = 0;
  for (const CopyForm& form : streamed_forms()) {
    const auto try_length = [&](int64_t bytes, bool must_stream) {
      const int64_t to_line = (64 - bytes % 64) % 64;
      for (const int64_t gap : {int64_t{0}, int64_t{1}, int64_t{16}, int64_t{32}, to_line, to_line + 64}) {
        INFO(name(form) << ": slices of " << bytes << " bytes, " << gap << " apart");
        SliceShape shape{3, bytes > 10000 ? 3 : 7, bytes};
        shape.output_gap = gap;
        SliceGather gather(context_for(form, GARNER_PATH_COPY), shape, buffers, random);
        CHECK(streams(gather) == must_stream);
        CHECK(run_misaligned(gather, random) == "");
        ++(must_stream ? streamed : ordinary);
      }
    };
    for (const int64_t bytes : lengths().streamed) try_length(bytes, true);
    for (const int64_t bytes : lengths().ordinary) try_length(bytes, false);
  }
  CHECK(streamed >= 100);
  CHECK(ordinary >= 50);
}

TEST_CASE("streamed slices that are nests of runs") {
  if (streamed_forms().empty()) GARNER_TEST_SKIP("the CPU has none of the ISAs that stream");
  const uint64_t seed = test_seed();
  std::cout << "seed " << seed << std::endl;
  INFO("replay with GARNER_TEST_SEED=" << seed);
  Random random(seed);
  SliceBuffers buffers(256 * 1024, 512 * 1024);
  for (const CopyForm& form : streamed_forms()) {
    for (const int64_t bytes : lengths().streamed) {
      if (bytes > 10000) continue;
      for (const int64_t runs : {2, 5}) {
        INFO(name(form) << ": " << runs << " runs of " << bytes << " bytes");
        SliceShape shape{3, 7, bytes, runs};
        shape.run_gap = random.pick({1, 16, 64});
        shape.output_gap = random.pick({0, 0, 3, 64});
        SliceGather gather(context_for(form, GARNER_PATH_COPY), shape, buffers, random);
        CHECK(streams(gather));
        CHECK(run_misaligned(gather, random) == "");
      }
    }
  }
}

TEST_CASE("streamed slices of tables that are prefetched") {
  if (streamed_forms().empty()) GARNER_TEST_SKIP("the CPU has none of the ISAs that stream");
  const uint64_t seed = test_seed();
  std::cout << "seed " << seed << std::endl;
  INFO("replay with GARNER_TEST_SEED=" << seed);
  Random random(seed);
  const int64_t table_bytes = bytes_near() + 8192;
  SliceBuffers buffers(static_cast<size_t>(table_bytes) + 65536, 512 * 1024);
  for (const CopyForm& form : streamed_forms()) {
    for (const int64_t bytes : {80, 128, 496, 512, 1000, 1025, 4096}) {
      INFO(name(form) << ": slices of " << bytes << " bytes");
      SliceShape shape{table_bytes / bytes + 1, 37, bytes};
      SliceGather gather(context_for(form, GARNER_PATH_COPY), shape, buffers, random);
      CHECK(streams(gather));
      CHECK(run_misaligned(gather, random) == "");
    }
  }
}
