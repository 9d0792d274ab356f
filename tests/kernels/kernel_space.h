// SPDX-License-Identifier: Apache-2.0
// Which kernels exist, and which of their parameters the tests combine.
#pragma once

#include <vector>

#include "jit/kernel_key.h"
#include "runtime/cpu.h"

namespace garner_test {

// One entry of the library's kernel list.
struct KernelClass {
  garner::jit::Body body;
  int element_bytes;
  garner::Isa isa;
};

// Those that the CPU has and GARNER_TEST_ISA (avx2 or avx512, the only one to run) allows. WARNs about the others.
std::vector<KernelClass> runnable_classes(garner::jit::Body body);
std::vector<KernelClass> runnable_classes();

// Keys of a class in which lane form, index type, K, bounds, negative and the body's own switches meet pairwise; all
// combinations in the long test.
std::vector<garner::jit::KernelKey> keys_of(const KernelClass& kernel_class);

}  // namespace garner_test
