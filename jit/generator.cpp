// SPDX-License-Identifier: Apache-2.0
#include "jit/generator.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

constexpr int remaining_slot = 0;  // [rsp]: positions after this row
constexpr int small_block = 4;

}  // namespace

KernelGenerator::KernelGenerator(const KernelKey& key, void* buffer, size_t capacity, int block_positions)
    : CodeGenerator(capacity, buffer), key_(key), block_(block_positions) {}

void KernelGenerator::emit() {
  endbr64();
  for (const Reg64& saved : {rbx, rbp, r12, r13, r14, r15}) push(saved);
  sub(rsp, frame_bytes());
  load_arguments();
  prepare_call();
  row_loop();

  for (int i = 0; i < careful_count_; ++i) {
    CarefulBlock& careful = careful_blocks_[i];
    L(careful.entry);  // nothing of this block was stored yet
    careful_loop(careful.positions, careful.fast, careful.after);
  }
  emit_alternative();

  // The block at the current position holds a bad index: everything before it is complete.
  L(failed_);
  mov(rax, field(offsetof(KernelArgs, count)));
  sub(rax, ptr[rsp + remaining_slot]);
  sub(rax, row_left_);
  leave();

  L(return_);
  mov(rax, field(offsetof(KernelArgs, count)));
  leave();
  emit_constants();
}

void KernelGenerator::leave() {
  vzeroupper();
  add(rsp, frame_bytes());
  for (const Reg64& saved : {r15, r14, r13, r12, rbp, rbx}) pop(saved);
  ret();
}

void KernelGenerator::load_arguments() {
  mov(src_, field(offsetof(KernelArgs, data)));
  mov(idx_, field(offsetof(KernelArgs, indices)));
  mov(dst_, field(offsetof(KernelArgs, output)));
  Reg64 reg;
  for (int k = 0; k < key_.coord_count; ++k) {
    if (extent_in_register(k, reg)) mov(reg, coord_extent(k));
    if (stride_in_register(k, reg)) mov(reg, coord_stride(k));
  }
  if (is_step()) mov(column_step_, field(offsetof(KernelArgs, data_column)));

  mov(rax, field(offsetof(KernelArgs, count)));
  if (is_folded()) {
    // The carry belongs to the positions, so the whole call is one row.
    mov(row_left_, rax);
    mov(qword[rsp + remaining_slot], 0);
    fold_start();
  } else {
    mov(row_left_, field(offsetof(KernelArgs, columns)));
    sub(row_left_, field(offsetof(KernelArgs, column)));
    cmp(row_left_, rax);
    cmova(row_left_, rax);
    sub(rax, row_left_);
    mov(ptr[rsp + remaining_slot], rax);
  }
}

void KernelGenerator::row_loop() {
  Label row, skip_blocks;
  L(row);  // row_left_ >= 1 positions from the current one on, remaining_slot positions after them
  prepare_row(skip_blocks);
  if (key_.lanes != Lanes::strided) {
    block_loop(block_, true);
    L(skip_blocks);
    if (is_folded()) {
      fold_finish();
    } else if (block_ > small_block) {
      block_loop(small_block, false);
    }
  }
  single_positions();
  if (is_folded()) {
    jmp(return_, T_NEAR);
    return;
  }

  mov(rax, ptr[rsp + remaining_slot]);
  test(rax, rax);
  jz(return_, T_NEAR);
  add(src_, field(offsetof(KernelArgs, data_carry)));
  add(idx_, field(offsetof(KernelArgs, index_carry)));
  add(dst_, field(offsetof(KernelArgs, output_carry)));
  mov(row_left_, field(offsetof(KernelArgs, columns)));
  cmp(row_left_, rax);
  cmova(row_left_, rax);
  sub(rax, row_left_);
  mov(ptr[rsp + remaining_slot], rax);
  jmp(row, T_NEAR);
}

void KernelGenerator::block_loop(int n, bool body_block) {
  CarefulBlock& careful = careful_blocks_[careful_count_++];
  careful.positions = n;
    cmp(row_left_, n);
  jb(careful.after, T_NEAR);
  align(16);
  L(careful.fast);  // row_left_ >= n
  if (body_block) {
    block_alternative();
    fast_block(careful.entry);
  } else {
    assemble_block(n, Access::fast, careful.entry, 0);
  }
  advance(n, Access::fast);
  if (body_block) L(block_done_);  // the block is stored and the pointers are past it
  cmp(row_left_, n);
  jae(careful.fast, T_NEAR);
  L(careful.after);
}

void KernelGenerator::careful_loop(int n, const Label& again, const Label& done) {
  Label next;
  L(next);  // row_left_ >= n, nothing of this block stored
  if (tracks_sign()) xor_(seen_, seen_);
  assemble_block(n, Access::careful, failed_, 0);
  advance(n, Access::careful);
  cmp(row_left_, n);
  jb(done, T_NEAR);
  if (tracks_sign()) {
    test(seen_, seen_);
    js(next, T_NEAR);
  }
  jmp(again, T_NEAR);
}

void KernelGenerator::advance(int n, Access access) {
  add(idx_, n * tuple_bytes());
  add(dst_, n * element_bytes());
  if (key_.lanes == Lanes::unit) add(src_, n * element_bytes());
  if (is_step() && access == Access::fast) mov(src_, temp_);
  if (is_folded()) fold_advance();
  sub(row_left_, n);
}

void KernelGenerator::single_positions() {
  Label next, done;
  test(row_left_, row_left_);
  jz(done, T_NEAR);
  L(next);  // row_left_ >= 1
  const RegExp address = element_address(0, Place::single, Access::careful, failed_);
  switch (element_bytes()) {
    case 1:
      movzx(eax, byte[address]);
      mov(byte[dst_], al);
      break;
    case 2:
      movzx(eax, word[address]);
      mov(word[dst_], ax);
      break;
    case 4:
      mov(eax, dword[address]);
      mov(dword[dst_], eax);
      break;
    case 8:
      mov(rax, qword[address]);
      mov(qword[dst_], rax);
      break;
    default:
      vmovdqu(xmm0, ptr[address]);
      vmovdqu(ptr[dst_], xmm0);
  }
  if (key_.lanes == Lanes::strided) {
    add(idx_, field(offsetof(KernelArgs, index_column)));
    add(dst_, field(offsetof(KernelArgs, output_column)));
    add(src_, field(offsetof(KernelArgs, data_column)));
  } else {
    add(idx_, tuple_bytes());
    add(dst_, element_bytes());
    if (key_.lanes == Lanes::unit) add(src_, element_bytes());
    if (is_step()) add(src_, column_step_);
    if (is_folded()) fold_carry_single();
  }
  dec(row_left_);
  jnz(next, T_NEAR);
  L(done);
}

}  // namespace garner::jit
