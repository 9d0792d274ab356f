// SPDX-License-Identifier: Apache-2.0
#include "jit/loads_body.h"

#include "jit/kernel_list.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

LoadsBody::LoadsBody(const KernelKey& key, void* buffer, size_t capacity)
    : KernelGenerator(key, buffer, capacity, block_positions(key)) {}

void LoadsBody::fast_block(int positions, const Label& careful) { assemble_block(positions, Access::fast, careful, 0); }

// One repeated index along a row makes the block a contiguous copy. Equal ends are a cheap hint that sends only such blocks to
// the full comparison.
void LoadsBody::block_alternative() {
  if (!key_.detect_rows) return;
  load_index(value_, 0, 0);
  const RegExp last = idx_ + (block_ - 1) * index_size();
  switch (index_size()) {
    case 1: cmp(byte[last], al); break;
    case 2: cmp(word[last], ax); break;
    case 4: cmp(dword[last], eax); break;
    default: cmp(qword[last], rax);
  }
  je(same_ends_, T_NEAR);
  L(not_a_row_);
}

void LoadsBody::compare_indices(const Xmm& result, const Xmm& first, const Address& indices) {
  switch (index_size()) {
    case 1: vpcmpeqb(result, first, indices); break;
    case 2: vpcmpeqw(result, first, indices); break;
    case 4: vpcmpeqd(result, first, indices); break;
    default: vpcmpeqq(result, first, indices);
  }
}

void LoadsBody::compare_block(const Label& different) {
  const int bytes = block_ * index_size();
  if (bytes == 16) {  // shorter ones are not detected (kernel_list.cpp): a vector would read behind the tensor
    compare_indices(xmm1, xmm0, ptr[idx_]);
    vpmovmskb(eax, xmm1);
    cmp(eax, 0xffff);
  } else {
    for (int offset = 0; offset < bytes; offset += 32) {
      const Ymm& result = offset == 0 ? ymm1 : ymm2;
      compare_indices(result, ymm0, ptr[idx_ + offset]);
      if (offset > 0) vpand(ymm1, ymm1, ymm2);
    }
    vpmovmskb(eax, ymm1);
    cmp(eax, -1);
  }
  jne(different, T_NEAR);
}

void LoadsBody::copy_block() {
  const int bytes = block_ * element_bytes();
  for (int offset = 0; offset < bytes; offset += 32) {
    if (bytes - offset >= 32) {
      vmovdqu(ymm1, ptr[address_ + offset]);
      vmovdqu(ptr[dst_ + offset], ymm1);
    } else {
      vmovdqu(xmm1, ptr[address_ + offset]);
      vmovdqu(ptr[dst_ + offset], xmm1);
    }
  }
}

void LoadsBody::emit_alternative() {
  if (!key_.detect_rows) return;
  Label next;
  L(same_ends_);  // value_ is the first index of the block, read once
  vmovq(xmm0, value_);
  switch (index_size()) {
    case 1: vpbroadcastb(ymm0, xmm0); break;
    case 2: vpbroadcastw(ymm0, xmm0); break;
    case 4: vpbroadcastd(ymm0, xmm0); break;
    default: vpbroadcastq(ymm0, xmm0);
  }
  cmp(value_, r9);  // the extent of the only coordinate
  jae(not_a_row_, T_NEAR);
  mov(address_, value_);
  imul(address_, r11);  // its stride
  add(address_, src_);
  compare_block(not_a_row_);
  L(next);  // the block's indices all equal the checked one; address_ is where its data begins
  copy_block();
  add(address_, block_ * element_bytes());
  advance(block_, Access::careful);
  cmp(row_left_, block_);
  jb(block_done_, T_NEAR);
  compare_block(block_done_);
  jmp(next, T_NEAR);
}

}  // namespace garner::jit
