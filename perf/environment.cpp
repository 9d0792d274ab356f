// SPDX-License-Identifier: Apache-2.0
#include "perf/environment.h"

#include <fmt/format.h>
#include <garner/garner.h>
#include <sched.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
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
          {"system", system_name()},
          {"kernel", kernel_release()},
          {"transparent_huge_pages", transparent_huge_pages()},
          {"variables", garner_variables()},
          {"time", now}};
}

}  // namespace garner::perf
