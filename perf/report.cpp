// SPDX-License-Identifier: Apache-2.0
#include "perf/report.h"

#include <fmt/format.h>

namespace garner::perf {
namespace {

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.1f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

std::string verified_text(const Measurement& m) {
  if (!m.verified) return "unchecked";
  return *m.verified ? "verified" : "WRONG";
}

// Six significant digits say all that a clock of nanoseconds can.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

}  // namespace

void print_table_head(std::FILE* out, bool baseline) {
  fmt::print(out, "{:<24} {:<7} {:>3} {:>5} {:>10} {:>8} {:>8} {:>8} {:>18} {:<10} {}\n", "problem", "path", "thr",
             "cache", "p50", "ns/elem", "GB/s", "ceiling", baseline ? "x loop (95 %)" : "plan cold/warm", "result",
             "kernel");
}

void print_table_row(std::FILE* out, const Measurement& m, bool baseline) {
  std::string last;
  if (!baseline) {
    last = fmt::format("{}/{}", time_text(m.plan_cold_ns), time_text(m.plan_warm_ns));
  } else if (m.baseline_p50) {
    last = fmt::format("{:.2f} ({:.2f}-{:.2f})", m.vs_baseline.median, m.vs_baseline.low, m.vs_baseline.high);
  } else {
    last = "-";
  }
  const std::string per_element =
      m.elements > 0 ? fmt::format("{:.3f}", m.ns.p50 / static_cast<double>(m.elements)) : "-";
  const std::string ceiling = m.ceiling ? fmt::format("{:.2f}", m.of_ceiling()) : "-";
  fmt::print(out, "{:<24} {:<7} {:>3} {:>5} {:>10} {:>8} {:>8.2f} {:>8} {:>18} {:<10} {}\n", m.name, m.plan.get("path"),
             m.threads, m.cold ? "cold" : "warm", time_text(m.ns.p50), per_element, m.gb_per_s(), ceiling, last,
             verified_text(m), m.plan.get("kernel"));
  for (const std::string& note : m.notes) fmt::print(out, "{:<24} ({})\n", "", note);
  std::fflush(out);
}

void print_table_foot(std::FILE* out, bool baseline) {
  fmt::print(
      out,
      "p50: median time of one call. GB/s: index bytes read + slice bytes read + output bytes written, per second.\n"
      "ceiling: the largest of copying the output, streaming indices and output, and touching the same addresses, in "
      "the\n"
      "same rounds, over p50; 1.00 is as fast as this machine moves the bytes.{}\n",
      baseline ? " x loop: time of the hand-written loop over that of garner." : "");
}

nlohmann::ordered_json to_json(const Measurement& m, const nlohmann::ordered_json& environment, bool with_samples) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", 1},
               {"problem", m.problem},
               {"name", m.name},
               {"path", m.plan.get("path")},
               {"kernel", m.plan.get("kernel")},
               {"isa", m.plan.get("isa")},
               {"dtype", m.dtype},
               {"index_dtype", m.index_dtype},
               {"slice_bytes", m.plan.number("slice_bytes")},
               {"shards", m.plan.number("shards")},
               {"threads", m.threads},
               {"cache", m.cold ? "cold" : "warm"},
               {"calls", m.calls},
               {"ns",
                {{"min", rounded(m.ns.min)},
                 {"p50", rounded(m.ns.p50)},
                 {"p90", rounded(m.ns.p90)},
                 {"p99", rounded(m.ns.p99)},
                 {"mad", rounded(m.ns.mad)}}},
               {"ns_per_element", m.elements > 0 ? Json(rounded(m.ns.p50 / static_cast<double>(m.elements))) : Json()},
               {"output_bytes", m.plan.number("output_bytes")},
               {"index_bytes", m.plan.number("index_bytes")},
               {"data_bytes", m.plan.number("data_bytes")},
               {"gb_per_s", rounded(m.gb_per_s())}};
  if (m.ceiling) {
    json["ceiling"] = {{"copy_ns", rounded(m.ceiling->copy_ns)},
                       {"stream_ns", rounded(m.ceiling->stream_ns)},
                       {"touch_ns", m.ceiling->touch_ns ? Json(rounded(*m.ceiling->touch_ns)) : Json()},
                       {"ns", rounded(m.ceiling->ns)}};
    json["of_ceiling"] = rounded(m.of_ceiling());
  } else {
    json["ceiling"] = nullptr;
    json["of_ceiling"] = nullptr;
  }
  json["plan_ns"] = {{"cold", rounded(m.plan_cold_ns)}, {"warm", rounded(m.plan_warm_ns)}};
  if (m.baseline_p50) {
    json["baseline"] = {{"name", "loop"}, {"p50", rounded(*m.baseline_p50)}};
    json["vs_baseline"] = {{"ratio", rounded(m.vs_baseline.median)},
                           {"low", rounded(m.vs_baseline.low)},
                           {"high", rounded(m.vs_baseline.high)},
                           {"rounds", m.vs_baseline.rounds}};
  } else {
    json["baseline"] = nullptr;
    json["vs_baseline"] = nullptr;
  }
  json["environment"] = environment;
  json["verified"] = m.verified ? Json(*m.verified) : Json();
  json["checksum"] = fmt::format("crc32:{:08x}", m.checksum);
  if (!m.notes.empty()) json["notes"] = m.notes;
  if (with_samples) {
    Json samples = Json::array();
    for (const double sample : m.samples) samples.push_back(rounded(sample));
    json["samples"] = std::move(samples);
  }
  return json;
}

}  // namespace garner::perf
