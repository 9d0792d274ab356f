// SPDX-License-Identifier: Apache-2.0
// ONNX backend test folders: model.onnx with test_data_set_*/{input_N,output_N}.pb.
#pragma once

#include <string>
#include <vector>

#include "perf/gather_case.h"

namespace garner::perf {

struct OnnxFolder {
  std::string name;
  std::string operator_name;      // of a folder that is not ours: the operator, or how many nodes it has
  bool ours = false;              // exactly one node, GatherND or GatherElements of the ONNX domain
  std::vector<GatherCase> cases;  // one per data set
  std::string problem;            // not empty: a file of the folder cannot be used, and why
};

// The test folders below `directory` in order of their names, or `directory` itself when it is one. Throws InputError
// when it is neither.
std::vector<std::string> list_onnx_folders(const std::string& directory);
OnnxFolder read_onnx_folder(const std::string& folder);

}  // namespace garner::perf
