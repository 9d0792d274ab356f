// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace garner {

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::scalar: return "scalar";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
  }
  return "unknown";
}

namespace {

constexpr int64_t kib = 1024;
constexpr int64_t mib = 1024 * kib;

// What caches have in the field. Virtual machines report anything from nothing to hundreds of MiB.
int64_t plausible(int64_t bytes, int64_t least, int64_t most, int64_t otherwise) {
  return bytes <= 0 ? otherwise : std::clamp(bytes, least, most);
}

}  // namespace

#if defined(__x86_64__)
namespace {

struct Leaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf cpuid(uint32_t number, uint32_t sub = 0) {
  Leaf leaf;
  __cpuid_count(number, sub, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
  return leaf;
}

constexpr bool bit(uint32_t word, int number) { return ((word >> number) & 1) != 0; }

// XCR0: which register states the system saves.
uint64_t enabled_states() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

void detect_isa(uint32_t highest, CpuFacts& facts) {
  const Leaf features = cpuid(1);
  const bool xgetbv_usable = bit(features.ecx, 27);
  if (!xgetbv_usable || highest < 7) return;
  constexpr uint64_t ymm_states = 0x06;  // XMM, YMM
  constexpr uint64_t zmm_states = 0xE6;  // and mask registers, the halves of ZMM0-15, ZMM16-31
  const uint64_t states = enabled_states();
  const Leaf extended = cpuid(7);
  const bool fma = bit(features.ecx, 12), avx = bit(features.ecx, 28);
  const bool bmi1 = bit(extended.ebx, 3), avx2 = bit(extended.ebx, 5), bmi2 = bit(extended.ebx, 8);
  if ((states & ymm_states) != ymm_states || !fma || !avx || !bmi1 || !avx2 || !bmi2) return;
  facts.isa = Isa::avx2;
  const bool f = bit(extended.ebx, 16), dq = bit(extended.ebx, 17), bw = bit(extended.ebx, 30),
             vl = bit(extended.ebx, 31);
  if ((states & zmm_states) != zmm_states || !f || !dq || !bw || !vl) return;
  facts.isa = Isa::avx512;
  facts.vbmi = bit(extended.ecx, 1);
}

// Leaf 4 of Intel, 0x8000001D of AMD: one cache per sub-leaf, in the same format.
void read_cache_leaf(uint32_t number, CpuFacts& facts) {
  constexpr uint32_t most_caches = 16;
  for (uint32_t sub = 0; sub < most_caches; ++sub) {
    const Leaf leaf = cpuid(number, sub);
    const uint32_t type = leaf.eax & 31;  // 0 none, 1 data, 2 instructions, 3 unified
    if (type == 0) return;
    if (type == 2) continue;
    const int64_t ways = (leaf.ebx >> 22) + 1;
    const int64_t partitions = ((leaf.ebx >> 12) & 1023) + 1;
    const int64_t line = (leaf.ebx & 4095) + 1;
    const int64_t sets = static_cast<int64_t>(leaf.ecx) + 1;
    // Four numbers of which a virtual machine may have made up any: no product of them may overflow.
    const int64_t bytes = std::min(ways * partitions * line, int64_t{1} << 31) * std::min(sets, int64_t{1} << 31);
    switch ((leaf.eax >> 5) & 7) {
      case 1: facts.l1d_bytes = bytes; break;
      case 2: facts.l2_bytes = bytes; break;
      case 3: facts.llc_bytes = bytes; break;
      default: break;
    }
  }
}

void detect_caches(uint32_t highest, uint32_t highest_extended, CpuFacts& facts) {
  const bool amd = std::strcmp(facts.vendor, "AuthenticAMD") == 0 || std::strcmp(facts.vendor, "HygonGenuine") == 0;
  constexpr int topology_extensions = 22;
  if (!amd && highest >= 4) {
    read_cache_leaf(4, facts);
  } else if (amd && highest_extended >= 0x8000001D && bit(cpuid(0x80000001).ecx, topology_extensions)) {
    read_cache_leaf(0x8000001D, facts);
  }
  if (amd && facts.l1d_bytes == 0 && highest_extended >= 0x80000005) {
    facts.l1d_bytes = static_cast<int64_t>(cpuid(0x80000005).ecx >> 24) * kib;
  }
  if (highest_extended >= 0x80000006) {
    const Leaf leaf = cpuid(0x80000006);
    if (facts.l2_bytes == 0) facts.l2_bytes = static_cast<int64_t>(leaf.ecx >> 16) * kib;
    if (amd && facts.llc_bytes == 0) facts.llc_bytes = static_cast<int64_t>(leaf.edx >> 18) * 512 * kib;
  }
}

void read_names(uint32_t highest_extended, CpuFacts& facts) {
  const Leaf vendor = cpuid(0);
  const uint32_t letters[3] = {vendor.ebx, vendor.edx, vendor.ecx};
  std::memcpy(facts.vendor, letters, sizeof(letters));
  if (highest_extended < 0x80000004) return;
  char brand[49] = {};
  for (uint32_t part = 0; part < 3; ++part) {
    const Leaf leaf = cpuid(0x80000002 + part);
    const uint32_t text[4] = {leaf.eax, leaf.ebx, leaf.ecx, leaf.edx};
    std::memcpy(brand + 16 * part, text, sizeof(text));
  }
  const char* begin = brand;
  while (*begin == ' ') ++begin;
  size_t length = std::strlen(begin);
  while (length > 0 && begin[length - 1] == ' ') --length;
  std::memcpy(facts.brand, begin, length);
}

void read_model(CpuFacts& facts) {
  const uint32_t signature = cpuid(1).eax;
  const uint32_t base_family = (signature >> 8) & 15;
  const uint32_t base_model = (signature >> 4) & 15;
  const uint32_t extended_model = (signature >> 16) & 15;
  facts.family = static_cast<int32_t>(base_family + (base_family == 15 ? (signature >> 20) & 255 : 0));
  facts.model = static_cast<int32_t>(base_model + (base_family == 6 || base_family == 15 ? extended_model << 4 : 0));
  facts.stepping = static_cast<int32_t>(signature & 15);
  facts.hypervisor = bit(cpuid(1).ecx, 31);
}

}  // namespace
#endif

int64_t llc_share_bytes(const CpuFacts& facts, int32_t cpus) {
  constexpr int64_t share_of_a_cpu = 4 * mib;
  if (!facts.hypervisor) return facts.llc_bytes;
  return std::min(facts.llc_bytes, share_of_a_cpu * std::max(cpus, 1));
}

CpuFacts detect_cpu() {
  CpuFacts facts{};
#if defined(__x86_64__)
  const uint32_t highest = cpuid(0).eax;
  const uint32_t highest_extended = cpuid(0x80000000).eax;
  read_names(highest_extended, facts);
  read_model(facts);
  detect_isa(highest, facts);
  detect_caches(highest, highest_extended, facts);
#endif
  facts.l1d_bytes = plausible(facts.l1d_bytes, 16 * kib, 256 * kib, 32 * kib);
  facts.l2_bytes = plausible(facts.l2_bytes, 128 * kib, 8 * mib, 512 * kib);
  facts.llc_bytes = plausible(facts.llc_bytes, 1 * mib, 96 * mib, 8 * mib);
  return facts;
}

}  // namespace garner
