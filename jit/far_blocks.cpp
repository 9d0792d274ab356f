// SPDX-License-Identifier: Apache-2.0
// Elements of a table beyond the caches. A tuple of several coordinates is so many instructions that the CPU looks only a dozen
// elements ahead, fewer than it could wait for at once. So many addresses are formed, checked and prefetched first, and the elements
// are loaded from the same addresses afterwards: each index is still read once.
#include "jit/kernel_list.h"
#include "jit/loads_body.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

// Offsets from rsp.
constexpr int slots = frame_header;  // the checked addresses
constexpr int saved_index = slots + 8 * far_positions;
constexpr int saved_data = saved_index + 8;
constexpr int blocks_until_retry = saved_data + 8;

}  // namespace

int LoadsBody::stack_bytes() const { return key_.far ? blocks_until_retry + 8 - frame_header : 0; }

void LoadsBody::far_blocks() {
  if (!key_.far) return;
  Label failed, done;
  mov(dword[rsp + blocks_until_retry], 0);
  L(far_retry_);
  cmp(row_left_, far_positions);
  jb(done, T_NEAR);
  mov(ptr[rsp + saved_index], idx_);
  if (key_.lanes == Lanes::unit) mov(ptr[rsp + saved_data], src_);
  far_addresses(failed);
  far_loads();
  sub(row_left_, far_positions);
  jmp(far_retry_, T_NEAR);

  L(failed);  // nothing is stored: these positions go through ordinary blocks, one of which will be careful
  mov(idx_, ptr[rsp + saved_index]);
  if (key_.lanes == Lanes::unit) mov(src_, ptr[rsp + saved_data]);
  mov(dword[rsp + blocks_until_retry], far_positions / block_);
  L(done);
}

void LoadsBody::retry_far_blocks() {
  if (!key_.far) return;
  dec(dword[rsp + blocks_until_retry]);
  jz(far_retry_, T_NEAR);
}

void LoadsBody::far_addresses(const Label& failed) {
  Label next;
  const Reg64& slot = seen_;
  xor_(slot, slot);
  align(16);
  L(next);  // idx_, src_: the positions whose addresses go to slots + slot
  for (int l = 0; l < block_; ++l) {
    lea(value_, ptr[element_address(l, Place::block, Access::fast, failed)]);
    prefetcht0(ptr[value_]);
    mov(ptr[rsp + slot + (slots + 8 * l)], value_);
  }
  add(idx_, block_ * tuple_bytes());
  if (key_.lanes == Lanes::unit) add(src_, block_ * element_bytes());
  add(slot, 8 * block_);
  cmp(slot, 8 * far_positions);
  jb(next, T_NEAR);
}

void LoadsBody::far_loads() {
  Label next;
  const Reg64& slot = seen_;
  const int lanes = 16 / element_bytes();
  xor_(slot, slot);
  align(16);
  L(next);
  for (int l = 0; l < block_; ++l) {
    mov(value_, ptr[rsp + slot + (slots + 8 * l)]);
    insert_lane(l / lanes, l % lanes, RegExp(value_));
  }
  store_vectors(0, block_ * element_bytes());
  add(dst_, block_ * element_bytes());
  add(slot, 8 * block_);
  cmp(slot, 8 * far_positions);
  jb(next, T_NEAR);
}

}  // namespace garner::jit
