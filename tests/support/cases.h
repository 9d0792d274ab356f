// SPDX-License-Identifier: Apache-2.0
// Reader of the conformance files; their format is explained in tests/conformance/README.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/run.h"

namespace garner_test {

// Calls visit(line as JSON) for every line; an exception is passed on with file and line number in front.
void for_each_line(const std::string& path, const std::function<void(const nlohmann::json&)>& visit);

// The operator of a line: "op", "version" and "attrs".
garner_op op_of(const nlohmann::json& line);

Shape shape_of(const nlohmann::json& array);

// String elements are views into `storage`, which must not change while the tensor lives.
Tensor tensor_of(const nlohmann::json& tensor, std::vector<std::string>& storage);

// "expect" of a line about `data`, whose dtype the values have. `positions` is the shape over which "at" counts.
Expected expected_of(const nlohmann::json& expect, garner_dtype data_dtype, const Shape& positions);

// Statuses that a kind of error ("invalid_axis") stands for.
garner_status status_of_kind(const std::string& kind);

// indices.shape[:-1], or indices.shape for GatherElements.
Shape positions_of(const garner_op& op, const Shape& indices_shape);

}  // namespace garner_test
