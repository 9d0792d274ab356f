// SPDX-License-Identifier: Apache-2.0
#include "perf/record.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "perf/input_error.h"

namespace garner::perf {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

// Six significant digits say all that a clock of nanoseconds can.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

Json rounded(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

Json rounded(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(rounded(value));
  return array;
}

// Fields of an object, with messages that name them by their whole path.
class Fields {
 public:
  Fields(const Json& object, std::string where, std::string prefix = "")
      : object_(object), where_(std::move(where)), prefix_(std::move(prefix)) {
    if (!object.is_object())
      fail(prefix_.empty() ? "it is no object"
                           : fmt::format("'{}' is no object", prefix_.substr(0, prefix_.size() - 1)));
  }

  const Json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) fail(fmt::format("the field '{}{}' is missing", prefix_, name));
    return *found;
  }
  bool has(const char* name) const {
    const auto found = object_.find(name);
    return found != object_.end() && !found->is_null();
  }
  std::string text(const char* name) const {
    if (!at(name).is_string()) fail(fmt::format("'{}{}' is no string", prefix_, name));
    return at(name).get<std::string>();
  }
  double number(const char* name) const {
    if (!at(name).is_number()) fail(fmt::format("'{}{}' is no number", prefix_, name));
    return at(name).get<double>();
  }
  double positive(const char* name) const {
    const double value = number(name);
    if (!(value > 0)) fail(fmt::format("'{}{}' is {}, must be above 0", prefix_, name, value));
    return value;
  }
  int64_t size(const char* name) const {
    if (!at(name).is_number_integer() || at(name).get<double>() < 0)
      fail(fmt::format("'{}{}' is no size", prefix_, name));
    return at(name).get<int64_t>();
  }
  std::optional<double> optional_number(const char* name) const {
    return has(name) ? std::optional(number(name)) : std::nullopt;
  }
  Fields object(const char* name) const { return {at(name), where_, prefix_ + name + "."}; }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: no result of garner-perf bench: {}", where_, what));
  }

 private:
  const Json& object_;
  std::string where_;
  std::string prefix_;
};

std::vector<std::pair<std::string, std::string>> environment_texts(const Json& environment) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [key, value] : environment.items()) {
    if (!value.is_array()) {
      texts.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
      continue;
    }
    std::string joined;
    for (const Json& part : value)
      joined += (joined.empty() ? "" : " ") + (part.is_string() ? part.get<std::string>() : part.dump());
    texts.emplace_back(key, joined);
  }
  return texts;
}

Json ceiling_json(const Measurement& m) {
  if (!m.ceiling) return {};
  return {{"copy_ns", rounded(m.ceiling->copy_ns)},
          {"stream_ns", rounded(m.ceiling->stream_ns)},
          {"touch_ns", rounded(m.ceiling->touch_ns)},
          {"ns", rounded(m.ceiling->ns)}};
}

}  // namespace

Json to_json(const Measurement& m, const Json& environment, bool with_samples) {
  Json json = {{"schema", schema},
               {"problem", m.problem},
               {"name", m.name},
               {"path", m.plan.get("path")},
               {"kernel", m.plan.get("kernel")},
               {"isa", m.plan.get("isa")},
               {"dtype", m.dtype()},
               {"index_dtype", m.index_dtype()},
               {"slice_bytes", m.plan.number("slice_bytes")},
               {"shards", m.plan.number("shards")},
               {"threads", m.threads},
               {"cache", m.cold ? "cold" : "warm"},
               {"buffer_sets", m.buffer_sets},
               {"pages", m.pages == Pages::huge ? "thp" : "normal"},
               {"calls", m.calls},
               {"batch", m.batch},
               {"rounds", m.rounds},
               {"steady", m.steady},
               {"ns",
                {{"min", rounded(m.ns.min)},
                 {"p50", rounded(m.ns.p50)},
                 {"p90", rounded(m.ns.p90)},
                 {"p99", rounded(m.ns.p99)},
                 {"mad", rounded(m.ns.mad)},
                 {"low", rounded(m.round_ns.low)},
                 {"high", rounded(m.round_ns.high)}}},
               {"ns_per_element", m.elements > 0 ? Json(rounded(m.ns.p50 / static_cast<double>(m.elements))) : Json()},
               {"output_bytes", m.plan.number("output_bytes")},
               {"index_bytes", m.plan.number("index_bytes")},
               {"data_bytes", m.plan.number("data_bytes")},
               {"gb_per_s", rounded(m.gb_per_s())},
               {"ceiling", ceiling_json(m)},
               {"of_ceiling", m.ceiling ? Json(rounded(m.of_ceiling())) : Json()},
               {"of_ceiling_rounds", rounded(m.of_ceiling_rounds)},
               {"plan_ns", {{"cold", rounded(m.plan_cold_ns)}, {"warm", rounded(m.plan_warm_ns)}}}};
  json["baseline"] = nullptr;
  json["vs_baseline"] = nullptr;
  if (m.baseline_p50) {
    json["baseline"] = {{"name", "loop"}, {"p50", rounded(*m.baseline_p50)}};
    json["vs_baseline"] = {{"ratio", rounded(m.vs_baseline.median)},
                           {"low", rounded(m.vs_baseline.low)},
                           {"high", rounded(m.vs_baseline.high)},
                           {"rounds", m.vs_baseline.rounds}};
  }
  json["environment"] = environment;
  json["verified"] = m.verified ? Json(*m.verified) : Json();
  if (!m.difference.empty()) json["difference"] = m.difference;
  json["checksum"] = fmt::format("crc32:{:08x}", m.checksum);
  if (!m.notes.empty()) json["notes"] = m.notes;
  if (with_samples) json["samples"] = rounded(m.samples);
  return json;
}

std::string Record::key() const { return fmt::format("{} threads={} {} {}", problem, threads, cache, pages); }

std::string Record::environment_value(const std::string& key) const {
  for (const auto& [known, value] : environment) {
    if (known == key) return value;
  }
  return "";
}

Record parse_record(const Json& json, const std::string& where) {
  const Fields fields(json, where);
  if (const double found = fields.number("schema"); found != schema)
    fields.fail(fmt::format("its schema is {}, this tool reads {}", found, schema));
  Record record;
  record.problem = fields.text("problem");
  record.name = fields.text("name");
  record.path = fields.text("path");
  record.kernel = fields.text("kernel");
  record.dtype = fields.text("dtype");
  record.index_dtype = fields.text("index_dtype");
  record.cache = fields.text("cache");
  record.pages = fields.has("pages") ? fields.text("pages") : "normal";
  record.threads = static_cast<int>(fields.size("threads"));
  record.p50_ns = fields.object("ns").positive("p50");
  record.output_bytes = fields.size("output_bytes");
  record.index_bytes = fields.size("index_bytes");
  record.data_bytes = fields.size("data_bytes");
  if (fields.has("ceiling")) {
    const Fields ceiling = fields.object("ceiling");
    record.ceiling = {ceiling.positive("copy_ns"), ceiling.positive("stream_ns"), ceiling.optional_number("touch_ns"),
                      ceiling.positive("ns")};
  }
  if (fields.has("of_ceiling_rounds")) {
    for (const Json& value : fields.at("of_ceiling_rounds")) {
      if (!value.is_number()) fields.fail("'of_ceiling_rounds' holds something else than numbers");
      record.of_ceiling_rounds.push_back(value.get<double>());
    }
  }
  if (fields.has("baseline")) record.loop_p50_ns = fields.object("baseline").positive("p50");
  if (fields.has("vs_baseline")) record.vs_loop = fields.object("vs_baseline").number("ratio");
  if (fields.has("verified")) {
    if (!fields.at("verified").is_boolean()) fields.fail("'verified' is neither true, false nor null");
    record.verified = fields.at("verified").get<bool>();
  }
  if (fields.has("environment")) record.environment = environment_texts(fields.at("environment"));
  return record;
}

std::vector<Record> read_records(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::vector<Record> records;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    Json json;
    try {
      json = Json::parse(line);
    } catch (const nlohmann::json::parse_error& error) {
      throw InputError(fmt::format("{}: no line of JSON (wrong at byte {})", where, error.byte));
    }
    records.push_back(parse_record(json, where));
  }
  if (file.bad()) throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  if (records.empty()) throw InputError(fmt::format("{}: holds no results", path));
  return records;
}

}  // namespace garner::perf
