// SPDX-License-Identifier: Apache-2.0
#include "tests/copy/copy_forms.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "runtime/cpu.h"
#include "tests/support/routes.h"

namespace garner_test {
namespace {

constexpr const char* copying_names[] = {"default", "movers", "streamed"};
constexpr const char* isa_names[] = {"auto", "scalar", "avx2", "avx512"};

std::vector<CopyForm> every_form() {
  std::vector<CopyForm> forms = {{Copying::movers, GARNER_ISA_SCALAR}};
  for (const int32_t isa : {GARNER_ISA_AVX2, GARNER_ISA_AVX512}) {
    for (const Copying copying : {Copying::by_default, Copying::movers, Copying::streamed})
      forms.push_back({copying, isa});
  }
  return forms;
}

bool can_run(const CopyForm& form) {
  return std::ranges::any_of(
      routes(), [&](const Route& route) { return route.path == GARNER_PATH_COPY && route.isa == form.isa; });
}

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

// Slices that the jit path takes for elements.
bool wide_as_an_element(int64_t bytes) { return bytes <= 16 && std::has_single_bit(static_cast<uint64_t>(bytes)); }

bool is_streamed_size(int64_t bytes, bool far) {
  if (bytes == 64) return !far;  // from far away the loads are what takes the time
  return bytes >= 512 || (bytes > 64 && bytes % 16 == 0);
}

// "rows_33_64_i64_..." is for 33 to 64 bytes, "rows_32_i64_..." for 32, and "rows_wide_..." for more than the others.
bool mover_is_for(const std::string& mover, int64_t bytes) {
  if (starts_with(mover, "rows_wide_")) return bytes > 128 && !starts_with(mover, "rows_wide_nt");
  char* end = nullptr;
  const char* const digits = mover.c_str() + std::string("rows_").size();
  const int64_t least = std::strtoll(digits, &end, 10);
  if (end == digits || *end != '_') return false;
  char* last_end = nullptr;
  const int64_t most = std::strtoll(end + 1, &last_end, 10);
  return least <= bytes && bytes <= (last_end == end + 1 ? least : most);
}

}  // namespace

std::string name(const CopyForm& form) {
  return std::string(copying_names[static_cast<int>(form.copying)]) + "-" + isa_names[form.isa];
}

std::vector<CopyForm> copy_forms() {
  std::vector<CopyForm> forms;
  for (const CopyForm& form : every_form()) {
    if (can_run(form)) forms.push_back(form);
  }
  return forms;
}

std::string absent_copy_forms() {
  std::string text;
  for (const CopyForm& form : every_form()) {
    if (!can_run(form)) text += (text.empty() ? "" : " ") + name(form);
  }
  return text;
}

garner_context_options options_for(const CopyForm& form, int32_t path) {
  garner_context_options options = context_options();
  options.path = path;
  options.max_isa = form.isa;
  if (form.copying != Copying::by_default) options.disable = GARNER_DISABLE_SLICES;
  options.llc_bytes = form.copying == Copying::streamed ? 1 : int64_t{1} << 40;
  return options;
}

garner_context* context_for(const CopyForm& form, int32_t path) {
  static std::map<std::tuple<Copying, int32_t, int32_t>, ContextHandle> contexts;
  ContextHandle& context = contexts[{form.copying, form.isa, path}];
  if (!context) {
    garner_context_options options = options_for(form, path);
    options.threads = 1;
    context = make_context(options);
  }
  return context.get();
}

int64_t bytes_near() {
  static const int64_t bytes = 4 * garner::detect_cpu().l2_bytes;
  return bytes;
}

std::string kernel_family(const std::string& kernel) {
  const size_t isa = kernel.rfind("__");
  if (isa == std::string::npos) return kernel;
  if (starts_with(kernel, "copy_slices_")) return "copy_slices" + kernel.substr(isa);
  // The index type is the last part of the kind "i64" or "u8" before the number of coordinates.
  const size_t coords = kernel.find("_k");
  return kernel.substr(0, kernel.rfind('_', coords - 1)) + kernel.substr(isa);
}

std::string wrong_kernel(const std::string& kernel, const CopyForm& form, int32_t path, int64_t slice_bytes, bool far) {
  const size_t isa = kernel.rfind("__");
  if (isa == std::string::npos || kernel.substr(isa + 2) != isa_names[form.isa]) return kernel + " is of another ISA";
  const bool prefetched = far && slice_bytes > 64 && slice_bytes <= 4096;
  if (path == GARNER_PATH_AUTO && wide_as_an_element(slice_bytes) && GARNER_HAVE_JIT && form.isa != GARNER_ISA_SCALAR) {
    return starts_with(kernel, "gather_x") ? "" : kernel + " is not of the jit path";
  }
  if (!starts_with(kernel, "copy_")) return kernel + " is not of the copy path";
  if (form.copying == Copying::by_default && GARNER_HAVE_JIT && !prefetched && slice_bytes >= 3 && slice_bytes <= 256 &&
      !wide_as_an_element(slice_bytes)) {
    return starts_with(kernel, "copy_slices_" + std::to_string(slice_bytes) + "_") ? "" : kernel + " is not emitted";
  }
  if (form.copying == Copying::streamed && is_streamed_size(slice_bytes, far))
    return starts_with(kernel, "copy_rows_wide_nt_") ? "" : kernel + " does not stream";
  return mover_is_for(kernel.substr(std::string("copy_").size()), slice_bytes) ? ""
                                                                               : kernel + " is not for such slices";
}

std::string to_text(const Families& families) {
  std::string text;
  for (const auto& [family, count] : families) text += " " + family + "=" + std::to_string(count);
  return text;
}

}  // namespace garner_test
