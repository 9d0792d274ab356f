// SPDX-License-Identifier: Apache-2.0
#include "jit/slices_body.h"

#include "jit/kernel_list.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

SlicesBody::SlicesBody(const KernelKey& key, void* buffer, size_t capacity)
    : KernelGenerator(key, buffer, capacity, block_positions(key)) {}

void SlicesBody::fast_block(int positions, const Label& careful) {
  assemble_block(positions, Access::fast, careful, 0);
}

void KernelGenerator::load_slice(int first_vector, const RegExp& address) {
  const SlicePieces pieces = slice_pieces(key_.isa, key_.element_bytes);
  for (int i = 0; i < pieces.count; ++i) {
    const int vector = first_vector + i;
    const RegExp at = address + pieces.at[i];
    switch (pieces.bytes[i]) {
      case 1:
        vpxor(Xmm(vector), Xmm(vector), Xmm(vector));  // else each would wait for the one before
        vpinsrb(Xmm(vector), Xmm(vector), byte[at], 0);
        break;
      case 2:
        vpxor(Xmm(vector), Xmm(vector), Xmm(vector));
        vpinsrw(Xmm(vector), Xmm(vector), word[at], 0);
        break;
      case 4: vmovd(Xmm(vector), dword[at]); break;
      case 8: vmovq(Xmm(vector), qword[at]); break;
      case 16: vmovdqu(Xmm(vector), ptr[at]); break;
      case 32: vmovdqu(Ymm(vector), ptr[at]); break;
      default: vmovdqu64(Zmm(vector), ptr[at]);
    }
  }
}

void KernelGenerator::store_slice(int first_vector, int at) {
  const SlicePieces pieces = slice_pieces(key_.isa, key_.element_bytes);
  for (int i = 0; i < pieces.count; ++i) {
    const int vector = first_vector + i;
    const RegExp to = dst_ + (at + pieces.at[i]);
    switch (pieces.bytes[i]) {
      case 1: vpextrb(byte[to], Xmm(vector), 0); break;
      case 2: vpextrw(word[to], Xmm(vector), 0); break;
      case 4: vmovd(dword[to], Xmm(vector)); break;
      case 8: vmovq(qword[to], Xmm(vector)); break;
      case 16: vmovdqu(ptr[to], Xmm(vector)); break;
      case 32: vmovdqu(ptr[to], Ymm(vector)); break;
      default: vmovdqu64(ptr[to], Zmm(vector));
    }
  }
}

}  // namespace garner::jit
