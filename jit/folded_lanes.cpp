// SPDX-License-Identifier: Apache-2.0
// Lanes::folded: rows shorter than a block run as one long loop. Vector registers hold, for each position of the next block,
// its column and its data address; both advance by constants, and a compare carries the lanes whose row ended. The addresses are
// published on the stack, from where each position takes its own.
#include "jit/generator.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

constexpr int fold_slots = frame_header;  // offset of the published addresses from rsp

// Vector registers of the fold state; blocks and careful blocks use registers 0 to 3 only.
constexpr int spare = 5, mask_register = 6;
constexpr int address_register = 7;  // and 8
constexpr int column_register = 9;   // and 10
constexpr int column_step = 11, address_step = 12, columns = 13, last_column = 14, carry = 15;

}  // namespace

// block_ + 1 addresses and as many columns: the last tells how far a block moves.
int KernelGenerator::fold_bytes() const { return is_folded() ? 16 * (block_ + 1) : 0; }

Address KernelGenerator::fold_base(int l) const { return ptr[rsp + (fold_slots + 8 * l)]; }

void KernelGenerator::fold_start() {
  const int addresses = fold_slots, column_slots = fold_slots + 8 * (block_ + 1);
  mov(columns_left_, field(offsetof(KernelArgs, columns)));
  sub(columns_left_, field(offsetof(KernelArgs, column)));
  cmp(row_left_, block_);
  jb(fold_singles_, T_NEAR);

  // Walk the first block_ + 1 positions: rbx their address, rax their column.
  Label next;
  mov(rbx, src_);
  mov(rax, field(offsetof(KernelArgs, column)));
  xor_(r15d, r15d);
  L(next);  // positions before r15 are written
  mov(ptr[rsp + r15 * 8 + addresses], rbx);
  mov(ptr[rsp + r15 * 8 + column_slots], rax);
  add(rbx, field(offsetof(KernelArgs, data_column)));
  inc(rax);
  xor_(ebp, ebp);
  xor_(r14d, r14d);
  cmp(rax, field(offsetof(KernelArgs, columns)));
  cmove(rax, rbp);
  cmove(r14, field(offsetof(KernelArgs, data_carry)));
  add(rbx, r14);
  inc(r15);
  cmp(r15, block_);
  jbe(next);

  // From block to block a column moves by a constant modulo columns, and its address by a constant, plus the carry when the
  // column wrapped. Lane 0 shows both: it wrapped exactly when its column went down.
  mov(rbx, ptr[rsp + (addresses + 8 * block_)]);
  sub(rbx, ptr[rsp + addresses]);
  mov(rax, ptr[rsp + (column_slots + 8 * block_)]);
  xor_(ebp, ebp);
  xor_(r14d, r14d);
  sub(rax, ptr[rsp + column_slots]);
  cmovs(rbp, field(offsetof(KernelArgs, columns)));
  cmovs(r14, field(offsetof(KernelArgs, data_carry)));
  add(rax, rbp);
  sub(rbx, r14);
  vmovq(Xmm(column_step), rax);
  vpbroadcastq(Ymm(column_step), Xmm(column_step));
  vmovq(Xmm(address_step), rbx);
  vpbroadcastq(Ymm(address_step), Xmm(address_step));
  mov(rax, field(offsetof(KernelArgs, columns)));
  vpbroadcastq(Ymm(columns), field(offsetof(KernelArgs, columns)));
  vpbroadcastq(Ymm(carry), field(offsetof(KernelArgs, data_carry)));
  dec(rax);
  vmovq(Xmm(last_column), rax);
  vpbroadcastq(Ymm(last_column), Xmm(last_column));
  for (int group = 0; group < block_ / 4; ++group) {
    vmovdqu(Ymm(address_register + group), ptr[rsp + (addresses + 32 * group)]);
    vmovdqu(Ymm(column_register + group), ptr[rsp + (column_slots + 32 * group)]);
  }
}

void KernelGenerator::fold_advance() {
  for (int group = 0; group < block_ / 4; ++group) {
    const Ymm address(address_register + group), column(column_register + group), mask(mask_register);
    vpaddq(column, column, Ymm(column_step));
    vpaddq(address, address, Ymm(address_step));
    vpcmpgtq(mask, column, Ymm(last_column));
    vpand(Ymm(spare), mask, Ymm(columns));
    vpsubq(column, column, Ymm(spare));
    vpand(mask, mask, Ymm(carry));
    vpaddq(address, address, mask);
    vmovdqu(ptr[rsp + (fold_slots + 32 * group)], address);
  }
}

// Hands the position after the last block to the single positions.
void KernelGenerator::fold_finish() {
  mov(src_, fold_base(0));
  vmovq(rax, Xmm(column_register));
  mov(columns_left_, field(offsetof(KernelArgs, columns)));
  sub(columns_left_, rax);
  L(fold_singles_);
}

void KernelGenerator::fold_carry_single() {
  Label same_row;
  add(src_, field(offsetof(KernelArgs, data_column)));
  dec(columns_left_);
  jnz(same_row);
  add(src_, field(offsetof(KernelArgs, data_carry)));
  mov(columns_left_, field(offsetof(KernelArgs, columns)));
  L(same_row);
}

}  // namespace garner::jit
