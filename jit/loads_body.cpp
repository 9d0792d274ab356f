// SPDX-License-Identifier: Apache-2.0
#include "jit/loads_body.h"

#include "jit/kernel_list.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

LoadsBody::LoadsBody(const KernelKey& key, void* buffer, size_t capacity)
    : KernelGenerator(key, buffer, capacity, block_positions(key)) {}

void LoadsBody::fast_block(const Label& careful) { assemble_block(block_, Access::fast, careful, 0); }

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

void LoadsBody::emit_alternative() {
  if (!key_.detect_rows) return;
  L(same_ends_);  // value_ is the first index of the block, read once
  vmovq(xmm0, value_);
  switch (index_size()) {
    case 1: vpbroadcastb(ymm0, xmm0); break;
    case 2: vpbroadcastw(ymm0, xmm0); break;
    case 4: vpbroadcastd(ymm0, xmm0); break;
    default: vpbroadcastq(ymm0, xmm0);
  }
  const int bytes = block_ * index_size();
  if (bytes == 16) {  // shorter ones are not detected (select.cpp): a vector would read behind the tensor
    compare_indices(xmm1, xmm0, ptr[idx_]);
    vpmovmskb(ebp, xmm1);
    cmp(ebp, 0xffff);
  } else {
    for (int offset = 0; offset < bytes; offset += 32) {
      const Ymm& result = offset == 0 ? ymm1 : ymm2;
      compare_indices(result, ymm0, ptr[idx_ + offset]);
      if (offset > 0) vpand(ymm1, ymm1, ymm2);
    }
    vpmovmskb(ebp, ymm1);
    cmp(ebp, -1);
  }
  jne(not_a_row_, T_NEAR);
  cmp(value_, r9);  // the extent of the only coordinate
  jae(not_a_row_, T_NEAR);
  imul(value_, r11);  // its stride
  add(value_, src_);
  const int copied = block_ * element_bytes();
  for (int offset = 0; offset < copied; offset += 32) {
    if (copied - offset >= 32) {
      vmovdqu(ymm0, ptr[value_ + offset]);
      vmovdqu(ptr[dst_ + offset], ymm0);
    } else {
      vmovdqu(xmm0, ptr[value_ + offset]);
      vmovdqu(ptr[dst_ + offset], xmm0);
    }
  }
  advance(block_, Access::careful);
  jmp(block_done_, T_NEAR);
}

}  // namespace garner::jit
