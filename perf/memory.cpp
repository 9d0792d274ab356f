// SPDX-License-Identifier: Apache-2.0
#include "perf/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "perf/input_error.h"

namespace garner::perf {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double margin_bytes = 256e6;  // for all that is not a tensor, here and in other processes

double system_available() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  double kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes && std::getline(file, unit)) {
    if (key == "MemAvailable:") return std::max(0.0, kibibytes * 1024 - margin_bytes);
  }
  return unlimited;
}

// What `ulimit -v` leaves.
double process_available() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages;
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

void require_memory(double bytes, const std::string& what) {
  const double available = std::min(system_available(), process_available());
  if (bytes <= available) return;
  throw InputError(fmt::format("not enough memory: {} would need {}, {} can be used", what, bytes_text(bytes),
                               bytes_text(available)));
}

std::string bytes_text(double bytes) {
  if (bytes < 10000) return fmt::format("{:.0f} bytes", bytes);
  static constexpr const char* units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
  double value = bytes / 1e3;
  size_t unit = 0;
  for (; value >= 999.95 && unit < 5; ++unit) value /= 1e3;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace garner::perf
