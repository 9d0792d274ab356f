// SPDX-License-Identifier: Apache-2.0
// garner-perf info: CPU, caches, calibration, kernels, build.
#include <fmt/format.h>
#include <garner/garner.h>

#include <string>

#include "jit/calibration.h"
#include "jit/kernel_cache.h"
#include "jit/kernel_list.h"
#include "perf/commands.h"
#include "perf/environment.h"
#include "perf/input_error.h"
#include "perf/timing.h"
#include "runtime/cpu.h"
#include "runtime/executor.h"

namespace garner::perf {
namespace {

void print_line(const char* key, const std::string& text) {
  if (!text.empty()) fmt::print("{:<12}{}\n", key, text);
}

void print_calibration(Isa isa) {
  for (Isa level : {Isa::avx2, Isa::avx512}) {
    if (level > isa) break;
    for (const int bytes : {4, 8}) {
      jit::calibrate(bytes, level);
      const jit::Calibration times = jit::calibration(bytes, level);
      const std::string key = fmt::format("x{} {}", 8 * bytes, isa_name(level));
      if (times.loads_ns > 0) {
        fmt::print("  {:<14}loads {:.3f} ns, hardware {:.3f} ns per element: {}\n", key, times.loads_ns,
                   times.hardware_ns, jit::hardware_is_faster(bytes, level) ? "hardware" : "loads");
      } else {
        fmt::print("  {:<14}not measured\n", key);
      }
    }
  }
}

void print_kernels(Isa isa) {
  for (const jit::ListedKernel& kernel : jit::kernel_list()) {
    const std::string what = kernel.body == jit::Body::slices
                                 ? fmt::format("copy_slices_{}_to_{}", kernel.least_bytes, kernel.most_bytes)
                                 : fmt::format("gather_x{}_{}", 8 * kernel.least_bytes, jit::body_name(kernel.body));
    fmt::print("  {}__{}{}\n", what, isa_name(kernel.isa), kernel.isa > isa ? "  (not on this CPU)" : "");
  }
}

int info() {
  const CpuFacts cpu = detect_cpu();
  print_line("garner", fmt::format("{}, binary interface {}", garner_version(), garner_abi_version()));
  print_line("build", garner_build_info());
  print_line("CPU", fmt::format("{} ({}, family {}, model {}, stepping {})", cpu.brand, cpu.vendor, cpu.family,
                                cpu.model, cpu.stepping));
  print_line("ISA", fmt::format("{}{}", isa_name(cpu.isa), cpu.vbmi ? " with VBMI" : ""));
  print_line("caches", fmt::format("L1d {} KiB, L2 {} KiB, last level {} KiB", cpu.l1d_bytes / 1024,
                                   cpu.l2_bytes / 1024, cpu.llc_bytes / 1024));
  print_line("topology", topology_text());
  const Executor executor = tbb_executor();
  print_line("threads", fmt::format("{} usable CPU(s); {}", usable_cpus(),
                                    executor.parallel_for == nullptr
                                        ? std::string("oneTBB is not compiled in")
                                        : fmt::format("oneTBB runs {} at once", executor.concurrency(executor.ctx))));
  print_line("JIT", jit::executable_memory_available() ? "executable memory is available"
                                                       : "the system refuses executable memory");
  print_line("hypervisor", hypervisor());
  print_line("mitigation", "gather data sampling: " + gather_mitigation());
  print_line("load", load_average());
  print_line("huge pages", transparent_huge_pages());
  print_line("system", fmt::format("{}, {}", system_name(), kernel_release()));
  print_line("timer", fmt::format("{:.1f} ns a reading", timer_cost_ns()));
  fmt::print("variables\n");
  for (const std::string& variable : garner_variables()) fmt::print("  {}\n", variable);
  if (garner_variables().empty()) fmt::print("  none set\n");
  fmt::print("calibration of the gather bodies (a table of L1 size; hardware is taken when it is 10 % faster)\n");
  print_calibration(cpu.isa);
  fmt::print("kernels (index type, K, policies and lane form are parameters of each)\n");
  print_kernels(cpu.isa);
  return exit_fine;
}

}  // namespace

Command add_info(CLI::App& app) {
  app.footer("Example:\n  garner-perf info");
  return [] { return info(); };
}

}  // namespace garner::perf
