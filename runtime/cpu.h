// SPDX-License-Identifier: Apache-2.0
// What the CPU can do and how large its caches are, from CPUID alone.
#pragma once

#include <cstdint>

namespace garner {

// Bundles as they exist in the field; each contains the one before.
enum class Isa : uint8_t {
  scalar,
  avx2,    // AVX2, BMI1, BMI2, FMA, and YMM state enabled by the system
  avx512,  // avx2 and AVX-512 F, BW, DQ, VL, and ZMM state enabled
};

const char* isa_name(Isa isa);  // "scalar", "avx2", "avx512"

struct CpuFacts {
  Isa isa;
  bool vbmi;  // AVX-512 VBMI, usable
  char vendor[13];
  char brand[49];  // as CPUID gives it, without leading and trailing spaces
  int32_t family, model, stepping;
  bool hypervisor;    // this is a virtual machine
  int64_t l1d_bytes;  // each capped to what exists in the field, with a default where CPUID has nothing
  int64_t l2_bytes;
  int64_t llc_bytes;
};

// How much of the last-level cache this process may count on. A virtual machine sees the whole cache of a socket that it shares
// with others: 4 MiB a CPU is what measurements show to be its own.
int64_t llc_share_bytes(const CpuFacts& facts, int32_t cpus);

// About 50 us in a virtual machine, where CPUID traps: once per context.
CpuFacts detect_cpu();

}  // namespace garner
