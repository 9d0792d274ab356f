// SPDX-License-Identifier: Apache-2.0
// Measurements for people and for programs.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

#include "perf/measurement.h"

namespace garner::perf {

void print_table_head(std::FILE* out, bool baseline);
void print_table_row(std::FILE* out, const Measurement& measurement, bool baseline);
void print_table_foot(std::FILE* out, bool baseline);

// One JSON object, one line.
nlohmann::ordered_json to_json(const Measurement& measurement, const nlohmann::ordered_json& environment,
                               bool with_samples);

}  // namespace garner::perf
