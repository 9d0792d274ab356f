// SPDX-License-Identifier: Apache-2.0
#include "perf/report.h"

#include <fmt/format.h>

namespace garner::perf {
namespace {

std::string verified_text(const Measurement& m) {
  if (!m.verified) return "unchecked";
  return *m.verified ? "verified" : "WRONG";
}

}  // namespace

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.1f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

void print_table_head(std::FILE* out, bool baseline, int name_width) {
  fmt::print(out, "{:<{}} {:<6} {:>3} {:>5} {:>10} {:>7} {:>7} {:>7} {:>18} {:<9} {}\n", "problem", name_width, "path",
             "thr", "cache", "p50", "ns/elem", "GB/s", "ceiling", baseline ? "x loop (95 %)" : "plan cold/warm",
             "result", "kernel");
  std::fflush(out);
}

void print_table_row(std::FILE* out, const Measurement& m, bool baseline, int name_width) {
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
  fmt::print(out, "{:<{}} {:<6} {:>3} {:>5} {:>10} {:>7} {:>7.2f} {:>7} {:>18} {:<9} {}\n", m.name, name_width,
             m.plan.get("path"), m.threads, m.cold ? "cold" : "warm", time_text(m.ns.p50), per_element, m.gb_per_s(),
             ceiling, last, verified_text(m), m.plan.get("kernel"));
  if (!m.difference.empty()) fmt::print(out, "{:<{}} WRONG: {}\n", "", name_width, m.difference);
  for (const std::string& note : m.notes) fmt::print(out, "{:<{}} ({})\n", "", name_width, note);
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

}  // namespace garner::perf
