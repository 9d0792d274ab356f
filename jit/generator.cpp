// SPDX-License-Identifier: Apache-2.0
#include "jit/generator.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

constexpr int small_block = 4;
constexpr int saved_rsp_slot = 8;
constexpr int careful_left_slot = 16;  // careful blocks left in a run of them
constexpr int careful_run = 4;

}  // namespace

KernelGenerator::KernelGenerator(const KernelKey& key, void* buffer, size_t capacity, int block_positions)
    : CodeGenerator(capacity, buffer), key_(key), block_(block_positions) {}

void KernelGenerator::emit() {
  endbr64();
  for (const Reg64& saved : {rbx, rbp, r12, r13, r14, r15}) push(saved);
  // Vectors are stored to the frame and read back in parts, which is slow across a cache line.
  mov(rax, rsp);
  sub(rsp, frame_bytes());
  and_(rsp, -frame_alignment);
  mov(ptr[rsp + saved_rsp_slot], rax);
  load_arguments();
  prepare_call();
  row_loop();

  for (int i = 0; i < careful_count_; ++i) {
    CarefulBlock& careful = careful_blocks_[i];
    L(careful.entry);  // nothing of this block was stored yet
    careful_loop(careful.positions, careful.fast, careful.after);
  }
  careful_single_position();
  emit_alternative();

  // The block at the current position holds a bad index: everything before it is complete.
  L(failed_);
  mov(rax, field(offsetof(KernelArgs, count)));
  sub(rax, remaining());
  sub(rax, row_left_);
  leave();

  L(return_);
  mov(rax, field(offsetof(KernelArgs, count)));
  leave();
  emit_constants();
}

// Positions after this row.
const Operand& KernelGenerator::remaining() const {
  return remaining_in_register() ? static_cast<const Operand&>(r15) : remaining_slot_;
}

void KernelGenerator::leave() {
  vzeroupper();
  mov(rsp, ptr[rsp + saved_rsp_slot]);
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
    mov(remaining(), 0);
    fold_start();
  } else {
    mov(row_left_, field(offsetof(KernelArgs, columns)));
    sub(row_left_, field(offsetof(KernelArgs, column)));
    cmp(row_left_, rax);
    cmova(row_left_, rax);
    sub(rax, row_left_);
    mov(remaining(), rax);
  }
}

void KernelGenerator::row_loop() {
  Label row, next_row, last_row, skip_blocks;
  L(row);  // row_left_ >= 1 positions from the current one on, remaining() positions after them
  if (half_block() > 0) short_rows(half_block());
  prepare_row(skip_blocks);
  if (key_.lanes != Lanes::strided) {
    far_blocks();
    block_loop(block_);
    if (half_block() > 0) block_loop(half_block());
    L(skip_blocks);
    if (is_folded()) {
      fold_finish();
    } else if (block_ > small_block) {
      block_loop(small_block);
    }
  }
  single_positions();
  L(row_done_);
  if (is_folded()) {
    jmp(return_, T_NEAR);
    return;
  }

  mov(rax, remaining());
  mov(row_left_, field(offsetof(KernelArgs, columns)));
  sub(rax, row_left_);
  jb(last_row, T_NEAR);
  L(next_row);  // rax positions remain after the next row
  mov(remaining(), rax);
  add(src_, field(offsetof(KernelArgs, data_carry)));
  add(idx_, field(offsetof(KernelArgs, index_carry)));
  add(dst_, field(offsetof(KernelArgs, output_carry)));
  jmp(row, T_NEAR);

  L(last_row);  // rax + row_left_ positions remain, fewer than a row
  add(row_left_, rax);
  jz(return_, T_NEAR);
  xor_(eax, eax);
  jmp(next_row, T_NEAR);
}

// Rows of exactly n positions, a block each: one loop, without a look at other lengths. Whole rows follow each other until fewer
// positions than a row remain or a block needs care; then the general loop takes over at that row.
void KernelGenerator::short_rows(int n) {
  Label next, other_rows;
  cmp(row_left_, n);
  jne(other_rows, T_NEAR);
  cmp(row_left_, field(offsetof(KernelArgs, columns)));
  jne(other_rows, T_NEAR);
  align(16);
  L(next);  // row_left_ == n == columns, remaining() positions after this row
  prepare_row(other_rows);
  fast_block(n, other_rows);
  add(idx_, n * tuple_bytes());
  add(dst_, n * element_bytes());
  add(src_, field(offsetof(KernelArgs, data_carry)));
  add(idx_, field(offsetof(KernelArgs, index_carry)));
  add(dst_, field(offsetof(KernelArgs, output_carry)));
  sub(remaining(), n);
  jae(next, T_NEAR);
  // Fewer than a row remain: remaining() + n.
  mov(row_left_, remaining());
  mov(remaining(), 0);
  add(row_left_, n);
  jz(return_, T_NEAR);
  jmp(other_rows, T_NEAR);
  L(other_rows);
}

void KernelGenerator::block_loop(int n) {
  const bool whole_block = n == block_;
  CarefulBlock& careful = careful_blocks_[careful_count_++];
  careful.positions = n;
  cmp(row_left_, n);
  jb(careful.after, T_NEAR);
  align(16);
  L(careful.fast);  // row_left_ >= n
  if (whole_block) block_alternative();
  if (whole_block || n == half_block()) {
    fast_block(n, careful.entry);
  } else {
    assemble_block(n, Access::fast, careful.entry, 0);
  }
  advance(n, Access::fast);
  if (whole_block) {
    L(block_done_);  // the block is stored and the pointers are past it
    retry_far_blocks();
  }
  cmp(row_left_, n);
  jae(careful.fast, T_NEAR);
  L(careful.after);
}

void KernelGenerator::careful_loop(int n, const Label& again, const Label& done) {
  Label next;
  if (counts_careful()) mov(dword[rsp + careful_left_slot], careful_run);
  L(next);  // row_left_ >= n, nothing of this block stored
  if (tracks_sign()) xor_(seen_, seen_);
  assemble_block(n, Access::careful, failed_, 0);
  advance(n, Access::careful);
  cmp(row_left_, n);
  jb(done, T_NEAR);
  if (tracks_sign()) {
    test(seen_, seen_);
    js(next, T_NEAR);
  } else if (counts_careful()) {
    dec(dword[rsp + careful_left_slot]);
    jnz(next, T_NEAR);
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
  Label done;
  test(row_left_, row_left_);
  jz(done, T_NEAR);
  L(single_);  // row_left_ >= 1
  single_position(Access::fast, careful_single_);
  jnz(single_);
  L(done);
}

void KernelGenerator::careful_single_position() {
  L(careful_single_);
  single_position(Access::careful, failed_);
  jnz(single_, T_NEAR);
  jmp(row_done_, T_NEAR);
}

// One position; the zero flag tells whether it was the row's last.
void KernelGenerator::single_position(Access access, const Label& exit) {
  const RegExp address = element_address(0, Place::single, access, exit);
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
    default: load_slice(0, address); store_slice(0, 0);
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
}

}  // namespace garner::jit
