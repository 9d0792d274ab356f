// SPDX-License-Identifier: Apache-2.0
// The JSON of one result: written by bench, read by compare and by the HTML page.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perf/measurement.h"

namespace garner::perf {

// One JSON object, for one line.
nlohmann::ordered_json to_json(const Measurement& measurement, const nlohmann::ordered_json& environment,
                               bool with_samples);

// What is read back.
struct Record {
  std::string problem;
  std::string name;
  std::string path;
  std::string kernel;
  std::string dtype;
  std::string index_dtype;
  std::string cache;
  std::string pages;
  int threads = 1;
  double p50_ns = 0;
  int64_t output_bytes = 0;
  int64_t index_bytes = 0;
  int64_t data_bytes = 0;
  std::optional<Ceiling> ceiling;
  std::vector<double> of_ceiling_rounds;
  std::optional<double> loop_p50_ns;
  std::optional<double> vs_loop;  // median of the rounds' ratios
  std::optional<bool> verified;
  std::vector<std::pair<std::string, std::string>> environment;  // values as text

  double moved_bytes() const { return static_cast<double>(index_bytes) + 2 * static_cast<double>(output_bytes); }
  double gb_per_s() const { return p50_ns > 0 ? moved_bytes() / p50_ns : 0; }
  double of_ceiling() const { return ceiling && p50_ns > 0 ? ceiling->ns / p50_ns : 0; }
  // Equal for rows that measure the same.
  std::string key() const;
  // "" when the environment does not say.
  std::string environment_value(const std::string& key) const;
};

// Throws InputError naming `where`, the field, and what is wrong with it.
Record parse_record(const nlohmann::ordered_json& json, const std::string& where);
// JSON Lines. Throws InputError naming file and line, also when the file holds no record.
std::vector<Record> read_records(const std::string& path);

}  // namespace garner::perf
