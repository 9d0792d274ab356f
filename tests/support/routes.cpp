// SPDX-License-Identifier: Apache-2.0
#include "tests/support/routes.h"

#include <map>
#include <tuple>

#include "tests/support/threads.h"

namespace garner_test {
namespace {

constexpr const char* path_names[] = {"auto", "copy", "jit", "scalar"};
constexpr const char* body_names[] = {"auto", "table", "loads", "hardware"};
constexpr const char* isa_names[] = {"auto", "scalar", "avx2", "avx512"};

int32_t cpu_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return GARNER_ISA_AVX512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
    return GARNER_ISA_AVX2;
  }
#endif
  return GARNER_ISA_SCALAR;
}

bool can_run(const Route& route) {
  if (route.path == GARNER_PATH_JIT && !GARNER_HAVE_JIT) return false;
  return route.isa <= cpu_isa();
}

std::vector<Route> every_route() {
  std::vector<Route> result = {{GARNER_PATH_AUTO, GARNER_BODY_AUTO, GARNER_ISA_AUTO},
                               {GARNER_PATH_SCALAR, GARNER_BODY_AUTO, GARNER_ISA_AUTO}};
  for (int32_t isa : {GARNER_ISA_SCALAR, GARNER_ISA_AVX2, GARNER_ISA_AVX512}) {
    result.push_back({GARNER_PATH_COPY, GARNER_BODY_AUTO, isa});
  }
  for (int32_t isa : {GARNER_ISA_AVX2, GARNER_ISA_AVX512}) {
    for (int32_t body : {GARNER_BODY_LOADS, GARNER_BODY_HARDWARE, GARNER_BODY_TABLE}) {
      result.push_back({GARNER_PATH_JIT, body, isa});
    }
  }
  return result;
}

}  // namespace

std::string name(const Route& route) {
  std::string text = path_names[route.path];
  if (route.body != GARNER_BODY_AUTO) text += std::string("-") + body_names[route.body];
  if (route.isa != GARNER_ISA_AUTO) text += std::string("-") + isa_names[route.isa];
  return text;
}

const std::vector<Route>& routes() {
  static const std::vector<Route> result = [] {
    std::vector<Route> possible;
    for (const Route& route : every_route()) {
      if (can_run(route)) possible.push_back(route);
    }
    return possible;
  }();
  return result;
}

std::string absent_routes() {
  std::string text;
  for (const Route& route : every_route()) {
    if (can_run(route)) continue;
    if (!text.empty()) text += ' ';
    text += name(route);
  }
  return text.empty() ? "none" : text;
}

garner_context_options options_for(const Route& route) {
  static ThreadExecutor threads(most_threads);
  static const garner_executor executor = threads.descriptor();
  garner_context_options options = context_options();
  options.path = route.path;
  options.body = route.body;
  options.max_isa = route.isa;
  options.min_shard_bytes = 0;
  options.executor = &executor;
  return options;
}

garner_context* context_for(const Route& route) {
  static std::map<std::tuple<int32_t, int32_t, int32_t>, ContextHandle> contexts;
  ContextHandle& context = contexts[{route.path, route.body, route.isa}];
  if (!context) context = make_context(options_for(route));
  return context.get();
}

std::string deviation(const Route& route, const Description& description) {
  if (route.path == GARNER_PATH_AUTO) return "";
  const auto taken = [&](const char* key) {
    const auto found = description.find(key);
    return found == description.end() ? std::string("?") : found->second;
  };
  if (taken("path") != path_names[route.path]) return "path " + taken("path");
  if (route.path != GARNER_PATH_JIT) return "";
  if (taken("body") != body_names[route.body]) return "body " + taken("body");
  if (taken("isa") != isa_names[route.isa]) return "isa " + taken("isa");
  return "";
}

bool jit_must_take(const Description& automatic) {
  const int64_t run_bytes = described_number(automatic, "run_bytes");
  return described_number(automatic, "tuples") > 0 && described_number(automatic, "data_bytes") > 0 &&
         described_number(automatic, "slice_runs") == 1 &&
         (run_bytes == 1 || run_bytes == 2 || run_bytes == 4 || run_bytes == 8 || run_bytes == 16);
}

bool copy_must_take(const Description& automatic) {
  return described_number(automatic, "tuples") > 0 && described_number(automatic, "data_bytes") > 0 &&
         described_number(automatic, "slice_runs") == 1 && described_number(automatic, "run_bytes") > 0;
}

}  // namespace garner_test
