// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/checked_call.h"

#include <cpuid.h>
#include <immintrin.h>

#include <cstddef>

// What the call below leaves behind; the assembly knows these offsets.
struct GarnerTestCallState {
  uint64_t registers[6];  // rbx rbp r12 r13 r14 r15 after the call
  uint64_t flags;
  uint32_t mxcsr;
  uint32_t in_use;  // XINUSE, when observe is set
  uint64_t observe;
  uint64_t stack_before;  // rsp around the call
  uint64_t stack_after;
  uint64_t upper_bits[2];  // the upper halves of YMM0-15 after the call, joined
};
static_assert(offsetof(GarnerTestCallState, flags) == 48);
static_assert(offsetof(GarnerTestCallState, mxcsr) == 56);
static_assert(offsetof(GarnerTestCallState, in_use) == 60);
static_assert(offsetof(GarnerTestCallState, observe) == 64);
static_assert(offsetof(GarnerTestCallState, stack_before) == 72);
static_assert(offsetof(GarnerTestCallState, stack_after) == 80);
static_assert(offsetof(GarnerTestCallState, upper_bits) == 88);

extern "C" int64_t garner_test_call(garner::KernelFunction function, const garner::KernelArgs* args,
                                    GarnerTestCallState* state);

__asm__(R"(
    .text
    .p2align 4
    .globl garner_test_call
    .hidden garner_test_call
    .type garner_test_call, @function
garner_test_call:
    endbr64
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rdx
    mov %rdi, %rax
    mov %rsi, %rdi
    movabs $0x1111111111111101, %rbx
    movabs $0x2222222222222202, %rbp
    movabs $0x3333333333333303, %r12
    movabs $0x4444444444444404, %r13
    movabs $0x5555555555555505, %r14
    movabs $0x6666666666666606, %r15
    vzeroupper
    mov %rsp, 72(%rdx)
    call *%rax
    mov (%rsp), %rdx
    mov %rsp, 80(%rdx)
    mov %rbx, 0(%rdx)
    mov %rbp, 8(%rdx)
    mov %r12, 16(%rdx)
    mov %r13, 24(%rdx)
    mov %r14, 32(%rdx)
    mov %r15, 40(%rdx)
    pushfq
    pop 48(%rdx)
    cld
    stmxcsr 56(%rdx)
    mov %rdx, %rsi
    cmpq $0, 64(%rsi)
    je 1f
    mov %rax, %rbx
    mov $1, %ecx
    xgetbv
    mov %eax, 60(%rsi)
    mov %rbx, %rax
1:
    vextractf128 $1, %ymm0, %xmm0
    .irp number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vextractf128 $1, %ymm\number, %xmm\number
    vorps %xmm\number, %xmm0, %xmm0
    .endr
    vmovups %xmm0, 88(%rsi)
    pop %rdx
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size garner_test_call, .-garner_test_call
)");

namespace garner_test {
namespace {

constexpr uint32_t avx_in_use = 1u << 2;      // upper halves of YMM0-15
constexpr uint32_t zmm_low_in_use = 1u << 6;  // upper halves of ZMM0-15
constexpr uint64_t direction_flag = 1u << 10;
// Rounding up, denormals are zero, flush to zero, all exceptions masked, none raised.
constexpr uint32_t unusual_mxcsr = 0x1F80 | 0x4000 | 0x8000 | 0x0040;

bool cpu_reports_in_use() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(0xD, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & 4u) != 0;
}

__attribute__((target("avx"))) int64_t leave_dirty(const garner::KernelArgs*) {
  __asm__ volatile("vpcmpeqd %%xmm9, %%xmm9, %%xmm9\n\tvinsertf128 $1, %%xmm9, %%ymm9, %%ymm9" : : : "xmm9");
  return 0;
}

int64_t leave_clean(const garner::KernelArgs*) { return 0; }

uint32_t in_use_after(garner::KernelFunction function) {
  const garner::KernelArgs args{};
  GarnerTestCallState state{};
  state.observe = 1;
  garner_test_call(function, &args, &state);
  __asm__ volatile("vzeroupper");
  return state.in_use & (avx_in_use | zmm_low_in_use);
}

// False when the call faulted. A frame of its own without objects: what a second return from sigsetjmp finds in the
// caller's registers is as it was.
__attribute__((noinline)) bool call_trapped(garner::KernelFunction function, const garner::KernelArgs* args,
                                            GarnerTestCallState* state, int64_t* result) {
  if (sigsetjmp(FaultTrap::target(), 0) != 0) {
    __asm__ volatile("vzeroupper\n\tcld");
    return false;
  }
  FaultTrap::arm();
  *result = garner_test_call(function, args, state);
  FaultTrap::disarm();
  return true;
}

}  // namespace

// Some CPUs and emulators always answer that everything is in use: believed only when it tells dirty from clean.
bool upper_halves_observable() {
  static const bool observable =
      cpu_reports_in_use() && in_use_after(&leave_dirty) != 0 && in_use_after(&leave_clean) == 0;
  return observable;
}

CheckedCall call_checked(garner::KernelFunction function, const garner::KernelArgs& args) {
  static const bool observable = upper_halves_observable();
  GarnerTestCallState state{};
  state.observe = observable ? 1 : 0;
  CheckedCall call{};
  const uint32_t mxcsr = _mm_getcsr();
  _mm_setcsr(unusual_mxcsr);
  const bool returned = call_trapped(function, &args, &state, &call.result);
  _mm_setcsr(mxcsr);
  if (!returned) {
    call.fault = FaultTrap::last();
    return call;
  }

  static const char* const names[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  for (uint64_t i = 0; i < 6; ++i) {
    const uint64_t expected = 0x1111111111111100u * (i + 1) + (i + 1);
    if (state.registers[i] != expected) call.violations += std::string(" ") + names[i] + " not kept";
  }
  if (state.stack_after != state.stack_before) call.violations += " stack pointer not kept";
  if (state.mxcsr != unusual_mxcsr) call.violations += " MXCSR changed";
  if ((state.flags & direction_flag) != 0) call.violations += " direction flag set";
  const bool in_use = (state.in_use & (avx_in_use | zmm_low_in_use)) != 0;
  if (in_use || (state.upper_bits[0] | state.upper_bits[1]) != 0) call.violations += " upper halves left in use";
  return call;
}

}  // namespace garner_test
