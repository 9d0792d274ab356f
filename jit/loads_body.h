// SPDX-License-Identifier: Apache-2.0
// Body::loads: an index goes to a general register, is compared with its extent, and its element is loaded straight into a
// vector lane. Wins wherever loads are cheap beside the gather instruction; the only body for bytes and words in memory.
#pragma once

#include "jit/generator.h"

namespace garner::jit {

class LoadsBody final : public KernelGenerator {
 public:
  LoadsBody(const KernelKey& key, void* buffer, size_t capacity);

 private:
  void fast_block(int positions, const Xbyak::Label& careful) override;
  int stack_bytes() const override;
  void block_alternative() override;
  void emit_alternative() override;

  // Row detection: compares the block's indices in memory with the broadcast first index; jumps unless all are equal.
  void compare_block(const Xbyak::Label& different);
  void compare_indices(const Xbyak::Xmm& result, const Xbyak::Xmm& first, const Xbyak::Address& indices);
  void copy_block();

  // far_blocks.cpp
  void far_blocks() override;
  void retry_far_blocks() override;
  void far_addresses(const Xbyak::Label& failed);
  void far_loads();

  Xbyak::Label same_ends_, not_a_row_, far_retry_;
};

}  // namespace garner::jit
