// SPDX-License-Identifier: Apache-2.0
#include "perf/environment.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <garner/garner.h>
#include <sched.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "runtime/cpu.h"

#if GARNER_PERF_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace garner::perf {

std::vector<std::string> garner_variables() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).substr(0, 7) == "GARNER_") variables.emplace_back(*variable);
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

int usable_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}

std::string kernel_release() {
  utsname names;
  return uname(&names) == 0 ? fmt::format("{} {}", names.sysname, names.release) : "unknown";
}

std::string system_name() {
  std::ifstream file("/etc/os-release");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("PRETTY_NAME=", 0) != 0) continue;
    std::string name = line.substr(12);
    name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
    return name;
  }
  return "unknown";
}

std::string transparent_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string word;
  while (file >> word) {
    if (word.front() == '[') return word.substr(1, word.size() - 2);
  }
  return "";
}

std::string topology_text() {
#if GARNER_PERF_HAVE_HWLOC
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return "";
  std::string text;
  if (hwloc_topology_load(topology) == 0) {
    const auto count = [&](hwloc_obj_type_t type) { return hwloc_get_nbobjs_by_type(topology, type); };
    text = fmt::format("{} package(s), {} core(s), {} hardware thread(s), {} NUMA node(s)", count(HWLOC_OBJ_PACKAGE),
                       count(HWLOC_OBJ_CORE), count(HWLOC_OBJ_PU), count(HWLOC_OBJ_NUMANODE));
  }
  hwloc_topology_destroy(topology);
  return text;
#else
  return "";
#endif
}

std::string hypervisor() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned hypervisor_bit = 1u << 31;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & hypervisor_bit) == 0) return "none";
  __cpuid(0x40000000, a, b, c, d);
  char name[13] = {};
  std::memcpy(name, &b, 4);
  std::memcpy(name + 4, &c, 4);
  std::memcpy(name + 8, &d, 4);
  return name[0] == 0 ? "unnamed" : name;
}

std::string gather_mitigation() {
  std::ifstream file("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling");
  std::string line;
  return std::getline(file, line) ? line : "unknown";
}

std::string load_average() {
  double load[3];
  return getloadavg(load, 3) == 3 ? fmt::format("{:.2f} {:.2f} {:.2f}", load[0], load[1], load[2]) : "unknown";
}

nlohmann::ordered_json environment_json() {
  const CpuFacts cpu = detect_cpu();
  char now[32];
  const time_t seconds = time(nullptr);
  tm parts;
  gmtime_r(&seconds, &parts);
  strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {{"garner", garner_version()},
          {"build", garner_build_info()},
          {"cpu", cpu.brand},
          {"vendor", cpu.vendor},
          {"family", cpu.family},
          {"model", cpu.model},
          {"stepping", cpu.stepping},
          {"max_isa", isa_name(cpu.isa)},
          {"vbmi", cpu.vbmi},
          {"l1d_bytes", cpu.l1d_bytes},
          {"l2_bytes", cpu.l2_bytes},
          {"llc_bytes", cpu.llc_bytes},
          {"usable_cpus", usable_cpus()},
          {"hypervisor", hypervisor()},
          {"gather_mitigation", gather_mitigation()},
          {"load", load_average()},
          {"system", system_name()},
          {"kernel", kernel_release()},
          {"transparent_huge_pages", transparent_huge_pages()},
          {"variables", garner_variables()},
          {"time", now}};
}

}  // namespace garner::perf
