// SPDX-License-Identifier: Apache-2.0
// Problem strings: one line of text that names operator, types, shapes, layout and the values of the indices.
//
//   OP[@VERSION]:dtype:data shape:index dtype:indices shape[:key=value]...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/element_type.h"

namespace garner::perf {

struct Pattern {
  enum class Kind {
    uniform,
    sequential,
    reversed,
    sorted,
    permutation,
    constant,
    rows,  // one index repeated along the row
    diagonal,
    zipf,     // parameter: exponent
    local,    // parameter: largest distance from the own position
    strided,  // parameter: step
    file,     // values from a .npy file
  };
  Kind kind = Kind::uniform;
  double parameter = 0;
  std::string path;
};

struct Problem {
  std::string operator_name;  // as written: "gathernd", "gathernd@openvino-5", "gatherelements@onnx-13"
  int32_t kind = GARNER_GATHER_ND_ONNX;
  ElementType data_type;
  ElementType index_type{GARNER_INT64, 0};
  std::vector<int64_t> data_shape;
  std::vector<int64_t> indices_shape;
  int64_t batch_dims = 0;
  int64_t axis = 0;
  int32_t bounds = GARNER_BOUNDS_ERROR;
  int32_t negative = GARNER_NEGATIVE_DEFAULT;
  std::optional<std::vector<int64_t>> data_strides;
  std::optional<std::vector<int64_t>> indices_strides;
  std::optional<std::vector<int64_t>> output_strides;
  int64_t offset = 0;  // bytes before the lowest byte of each tensor
  Pattern pattern;
  double negative_fraction = 0;
  double bad_fraction = 0;
  uint64_t seed = 0;

  bool is_gather_elements() const { return kind == GARNER_GATHER_ELEMENTS_ONNX; }
};

// Throws InputError whose text shows the string and a caret under the column that is wrong.
Problem parse_problem(std::string_view text);
// The canonical form; parsing it gives the same problem.
std::string format_problem(const Problem& problem);

struct OperatorName {
  int32_t kind;
  bool gather_elements;
};
// Nothing when `name` is no operator; the versions are listed by operator_names().
std::optional<OperatorName> parse_operator(std::string_view name);
const char* operator_names();

std::string format_shape(const std::vector<int64_t>& shape);  // "25x125x3", "scalar"

// A problem with a name of its own, as in problem files.
struct NamedProblem {
  std::string name;
  std::string text;
  Problem problem;
};
// Lines of `name problem`, or a problem alone; `#` starts a comment. Throws InputError naming file and line.
std::vector<NamedProblem> read_problem_file(const std::string& path);
NamedProblem named_problem(std::string name, std::string_view text);

}  // namespace garner::perf
