// SPDX-License-Identifier: Apache-2.0
// Body::hardware: indices, checks and offsets in vector registers, elements fetched by vpgather. For 4- and 8-byte elements.
//
// Lanes are 64 bits wide, so that no offset can wrap; with key.narrow_address they are 32 bits wide, which select.cpp allows
// only for one unit coordinate whose extent fits. A multiplication takes 32-bit factors (vpmuldq): select.cpp proves that too.
#pragma once

#include "jit/generator.h"

namespace garner::jit {

class HardwareBody final : public KernelGenerator {
 public:
  HardwareBody(const KernelKey& key, void* buffer, size_t capacity);

 private:
  void prepare_call() override;
  void fast_block(int positions, const Xbyak::Label& careful) override;
  void emit_constants() override;

  bool is_avx512() const { return key_.isa == Isa::avx512; }
  bool narrow() const { return key_.narrow_address != 0; }
  int vector_bytes() const { return is_avx512() ? 64 : 32; }
  int lane_bytes() const { return narrow() ? 4 : 8; }
  int group() const { return vector_bytes() / lane_bytes(); }  // positions in one vector
  Xbyak::Xmm vector(int number) const;
  Xbyak::Xmm half_vector(int number) const;

  void load_lanes(const Xbyak::Xmm& dst, int first_position, int k);
  void load_contiguous(const Xbyak::Xmm& dst, int first_position);
  void load_spread(const Xbyak::Xmm& dst, int first_position, int k);
  void broadcast(const Xbyak::Xmm& dst, const Xbyak::Address& value);
  void check_and_wrap(const Xbyak::Xmm& index, int k, bool first_check);
  void gather_group(int number);

  Xbyak::Label tuple_lanes_, column_lanes_;
};

}  // namespace garner::jit
