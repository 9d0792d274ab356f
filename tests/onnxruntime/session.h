// SPDX-License-Identifier: Apache-2.0
// Just enough of ONNX Runtime's C API to load a model and run it. The runtime is loaded when first needed.
#pragma once

#include <onnxruntime_c_api.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/tensor.h"

namespace garner_test {

// Of the library that the variable GARNER_TEST_ONNXRUNTIME names; throws without it.
const OrtApi& runtime();
std::string runtime_version();

struct RunResult {
  OrtErrorCode code = ORT_OK;
  std::string message;
  Shape shape;
  Bytes bytes;                       // unless the output holds strings
  std::vector<std::string> strings;  // if it does
};

class Session {
 public:
  // A model in memory; garner's operators are registered. Throws what the runtime says.
  explicit Session(const std::string& model, int threads = 1);
  // The shape of the only output as inferred at load time; -1: not known.
  Shape output_shape() const;
  // `strings` are the elements of data when it holds strings.
  RunResult run(const Tensor& data, const std::vector<std::string>& strings, const Tensor& indices) const;
  // Seconds of one run, of tensors that are made once; the output is made by each run.
  double seconds(const Tensor& data, const Tensor& indices, int runs) const;

 private:
  struct Release {
    void operator()(OrtSession* session) const { runtime().ReleaseSession(session); }
  };
  std::unique_ptr<OrtSession, Release> session_;
};

}  // namespace garner_test
