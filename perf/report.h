// SPDX-License-Identifier: Apache-2.0
// Measurements as a table for people.
#pragma once

#include <cstdio>
#include <string>

#include "perf/measurement.h"

namespace garner::perf {

std::string time_text(double ns);  // "12.3 ns", "4.56 us", "7.89 ms"

// `name_width`: of the first column, which holds the longest name.
void print_table_head(std::FILE* out, bool baseline, int name_width);
void print_table_row(std::FILE* out, const Measurement& measurement, bool baseline, int name_width);
void print_table_foot(std::FILE* out, bool baseline);

}  // namespace garner::perf
