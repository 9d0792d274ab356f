// SPDX-License-Identifier: Apache-2.0
// What the readers of garner-perf made of an input: it must be a call that the library can judge.
#pragma once

#include "perf/gather_case.h"
#include "perf/input_error.h"
#include "tests/fuzz/fuzz_target.h"

namespace garner_test {

// Executes a case on the library's own choice and on the scalar path; both must agree.
inline void run_case(const garner::perf::GatherCase& c) {
  static garner_context* const scalar = [] {
    garner_context_options options = GARNER_CONTEXT_OPTIONS_INIT;
    options.path = GARNER_PATH_SCALAR;
    garner_context* context = nullptr;
    garner_context_create(&options, &context, nullptr);
    return context;
  }();
  const garner_tensor data = c.data.view(), indices = c.indices.view();
  int64_t shape[GARNER_MAX_RANK];
  int32_t rank = 0;
  if (garner_infer_shape(&c.op, &data, &indices, shape, GARNER_MAX_RANK, &rank, nullptr) != GARNER_OK) return;
  if (data.dtype == GARNER_STRING && data.element_bytes != 0) return;  // needs a callback
  garner::perf::Tensor output;
  output.type = c.data.type;
  output.shape.assign(shape, shape + rank);
  if (output.buffer_bytes() > (1 << 20)) return;
  std::vector<std::byte> results[2];
  garner_status statuses[2];
  for (int i = 0; i < 2; ++i) {
    results[i].resize(static_cast<size_t>(output.buffer_bytes()));
    garner_args args = GARNER_ARGS_INIT;
    args.max_threads = 1;
    args.data = c.data_bytes.data();
    args.data_bytes = c.data_bytes.size();
    args.indices = c.index_bytes.data();
    args.indices_bytes = c.index_bytes.size();
    args.output = results[i].data();
    args.output_bytes = results[i].size();
    statuses[i] = garner_execute(i == 0 ? nullptr : scalar, &c.op, &data, &indices, nullptr, &args, nullptr);
  }
  if (statuses[0] != statuses[1]) finding("two paths, two statuses");
  if (statuses[0] == GARNER_OK && results[0] != results[1]) finding("two paths, two outputs");
}

// A file of the process's own, written anew for each input.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const uint8_t* bytes, size_t size) const;

 private:
  std::string folder_;
};

}  // namespace garner_test
