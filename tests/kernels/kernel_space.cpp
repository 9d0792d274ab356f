// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kernel_space.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "jit/kernel_list.h"
#include "tests/kernels/pairwise.h"
#include "tests/property/random.h"
#include "tests/support/catch.h"

namespace garner_test {

using garner::Bounds;
using garner::IndexType;
using garner::Isa;
using garner::Negative;
using garner::jit::Body;
using garner::jit::KernelKey;
using garner::jit::Lanes;

namespace {

// GARNER_TEST_ISA, where set, names the only ISA to run.
bool is_allowed(Isa isa) {
  const char* wanted = std::getenv("GARNER_TEST_ISA");
  return wanted == nullptr || std::strcmp(wanted, garner::isa_name(isa)) == 0;
}

// The factors that meet pairwise. The last one means what the body makes of it: detected rows or far tables, 32-bit addresses, or how a
// table lies in registers.
enum Factor {
  lanes_factor,
  index_factor,
  depth_factor,
  bounds_factor,
  negative_factor,
  unit_factor,
  body_factor,
  factor_count
};
const std::vector<int> levels = {5, 8, 5, 3, 2, 2, 8};

KernelKey key_of(const KernelClass& c, const Assignment& a) {
  KernelKey key{};
  key.body = c.body;
  key.isa = c.isa;
  key.lanes = static_cast<Lanes>(a[lanes_factor]);
  key.index_type = static_cast<IndexType>(a[index_factor]);
  key.bounds = static_cast<Bounds>(a[bounds_factor]);
  key.negative = static_cast<Negative>(a[negative_factor]);
  key.element_bytes = static_cast<uint16_t>(c.element_bytes);
  key.coord_count = static_cast<uint8_t>(a[depth_factor] + 1);
  key.unit_coord = a[unit_factor] != 0 ? 1 : 0;
  const int variant = a[body_factor];
  if (c.body == Body::loads) {
    key.detect_rows = variant == 1 ? 1 : 0;
    key.far = variant == 2 ? 1 : 0;
  }
  if (c.body == Body::hardware) key.narrow_address = variant == 1 ? 1 : 0;
  if (c.body == Body::table) {  // 1 to 16 registers of whole elements, or of bytes; 1 to 4 for each of several planes
    const bool several_planes = variant > 4;
    key.table_registers = static_cast<uint8_t>(1 << (several_planes ? variant - 5 : variant));
    if (c.isa == Isa::avx2 && several_planes == (c.element_bytes > 1))
      key.byte_planes = static_cast<uint8_t>(c.element_bytes);
  }
  return key;
}

// Levels of the body's own factor that would only repeat another key.
bool is_repetition(const KernelKey& key, int body_level) {
  if (key.body == Body::table && key.byte_planes == 0 && body_level > 4) return true;
  if (key.body != Body::table && body_level > (key.body == Body::loads ? 2 : 1)) return true;
  // Unsigned types have no negatives; the planner asks for wrap.
  return !garner::index_is_signed(key.index_type) && key.negative == Negative::reject;
}

// All widths of an element, and of slices those on both sides of each change of pieces.
std::vector<int> widths_of(const garner::jit::ListedKernel& kernel) {
  if (kernel.body != Body::slices) return {kernel.least_bytes};
  std::vector<int> widths;
  for (const int bytes : {3, 5, 7, 9, 15, 17, 31, 32, 33, 60, 64, 65, 96, 100, 128, 129, 192, 255, 256}) {
    if (bytes >= kernel.least_bytes && bytes <= kernel.most_bytes) widths.push_back(bytes);
  }
  return widths;
}

}  // namespace

std::vector<KernelClass> runnable_classes() {
  static const garner::CpuFacts cpu = garner::detect_cpu();
  std::vector<KernelClass> result;
  std::map<std::string, int> missing, left_out;
  for (const garner::jit::ListedKernel& kernel : garner::jit::kernel_list()) {
    // One entry asks for more than its ISA bundle.
    const bool needs_vbmi = kernel.body == Body::table && kernel.isa == Isa::avx512 && kernel.least_bytes == 1;
    if (kernel.isa > cpu.isa || (needs_vbmi && !cpu.vbmi)) {
      ++missing[needs_vbmi && kernel.isa <= cpu.isa ? "AVX-512 VBMI" : garner::isa_name(kernel.isa)];
    } else if (!is_allowed(kernel.isa)) {
      ++left_out[garner::isa_name(kernel.isa)];
    } else {
      for (const int bytes : widths_of(kernel)) result.push_back({kernel.body, bytes, kernel.isa});
    }
  }
  for (const auto& [isa, count] : missing)
    WARN("NOT RUN: " << count << " kernels of the list, this CPU has no " << isa);
  for (const auto& [isa, count] : left_out)
    WARN("NOT RUN: " << count << " " << isa << " kernels, GARNER_TEST_ISA leaves them out");
  return result;
}

std::vector<KernelClass> runnable_classes(Body body) {
  std::vector<KernelClass> result;
  for (const KernelClass& c : runnable_classes()) {
    if (c.body == body) result.push_back(c);
  }
  return result;
}

std::vector<KernelKey> keys_of(const KernelClass& c) {
  const std::vector<Assignment> all = all_assignments(levels, [&c](const Assignment& a) {
    const KernelKey key = key_of(c, a);
    return garner::jit::key_is_valid(key) && !is_repetition(key, a[body_factor]);
  });
  std::vector<KernelKey> keys;
  for (const Assignment& a : long_test() ? all : cover_pairs(levels, all)) keys.push_back(key_of(c, a));
  return keys;
}

}  // namespace garner_test
