// SPDX-License-Identifier: Apache-2.0
#include "perf/record.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

using Json = nlohmann::ordered_json;

Json written() {
  Measurement m;
  m.name = "a name";
  m.problem = "gathernd:f32:4096:i64:262144x1:seed=7";
  m.ns = summarize({120e3, 100e3, 110e3}, true);
  m.round_ns = {110e3, 100e3, 120e3, 7};
  m.ceiling = {60e3, 70e3, 80e3, 80e3};
  m.of_ceiling_rounds = {0.7, 0.8};
  m.baseline_p50 = 300e3;
  m.verified = true;
  m.samples = {120e3, 100e3, 110e3};
  return to_json(m, {{"cpu", "Some CPU"}, {"l2_bytes", 5}, {"variables", {"A=1", "B=2"}}}, true);
}

TEST_CASE("What is written is read back") {
  const Record record = parse_record(Json::parse(written().dump()), "here");
  CHECK(record.name == "a name");
  CHECK(record.problem == "gathernd:f32:4096:i64:262144x1:seed=7");
  CHECK(record.p50_ns == 110e3);
  CHECK(record.cache == "warm");
  CHECK(record.pages == "normal");
  CHECK(record.threads == 1);
  REQUIRE(record.ceiling);
  CHECK(record.ceiling->copy_ns == 60e3);
  CHECK(record.ceiling->stream_ns == 70e3);
  CHECK(record.ceiling->touch_ns == 80e3);
  CHECK(record.ceiling->ns == 80e3);
  CHECK(record.of_ceiling_rounds == std::vector<double>{0.7, 0.8});
  CHECK(record.loop_p50_ns == 300e3);
  CHECK(record.verified == true);
  CHECK(record.environment_value("cpu") == "Some CPU");
  CHECK(record.environment_value("l2_bytes") == "5");
  CHECK(record.environment_value("variables") == "A=1 B=2");
  CHECK(record.environment_value("none").empty());
}

TEST_CASE("Percentiles that the samples do not carry are null") {
  const Json json = written();
  CHECK(json["ns"]["p90"].is_null());
  CHECK(json["ns"]["p99"].is_null());
  CHECK(json["ns"]["p50"] == 110e3);
  CHECK(json["samples"].size() == 3);
}

TEST_CASE("Each missing or foreign field is named") {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json json = written();
    change(json);
    return refusal([&json] { parse_record(json, "a.json:3"); });
  };
  CHECK(refused([](Json&) {}).empty());
  CHECK(refused([](Json& j) { j.erase("problem"); }) ==
        "a.json:3: no result of garner-perf bench: the field 'problem' is missing");
  CHECK(holds(refused([](Json& j) { j["schema"] = 2; }), "its schema is 2, this tool reads 1"));
  CHECK(holds(refused([](Json& j) { j["ns"].erase("p50"); }), "the field 'ns.p50' is missing"));
  CHECK(holds(refused([](Json& j) { j["ns"]["p50"] = 0; }), "'ns.p50' is 0, must be above 0"));
  CHECK(holds(refused([](Json& j) { j["ns"] = 3; }), "'ns' is no object"));
  CHECK(holds(refused([](Json& j) { j["threads"] = "two"; }), "'threads' is no size"));
  CHECK(holds(refused([](Json& j) { j["ceiling"]["ns"] = "fast"; }), "'ceiling.ns' is no number"));
  CHECK(holds(refused([](Json& j) { j["verified"] = "yes"; }), "'verified'"));
  CHECK(holds(refused([](Json& j) { j["of_ceiling_rounds"] = {"x"}; }), "'of_ceiling_rounds'"));
  CHECK(holds(refused([](Json& j) { j = {1, 2}; }), "it is no object"));
}

TEST_CASE("Files are named with the line that cannot be used") {
  const std::string path = "garner_test_record.jsonl";
  const auto read = [&path](const std::string& text) {
    std::ofstream(path) << text;
    return refusal([&path] { read_records(path); });
  };
  const std::string good = written().dump() + "\n";
  CHECK(read(good + "\n" + good).empty());
  CHECK(holds(read(good + good.substr(0, good.size() / 2)), path + ":2: no line of JSON"));
  CHECK(holds(read(good + "{\"benchmarks\": []}\n"), path + ":2: no result of garner-perf bench"));
  CHECK(holds(read(""), path + ": holds no results"));
  std::remove(path.c_str());
  CHECK(holds(refusal([&path] { read_records(path); }), "cannot be read: No such file"));
  CHECK(!refusal([] { read_records("/"); }).empty());
}

}  // namespace
}  // namespace garner::perf
