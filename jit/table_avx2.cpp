// SPDX-License-Identifier: Apache-2.0
// Table lookups with AVX2: vpermd for dwords, vpshufb for bytes, one per table register, joined by blends on the index bits.
// A negative index makes the block careful: wrapping in the vector would cost every block more than it saves.
#include "jit/table_body.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

constexpr int table = 4;        // to 11
constexpr int last_index = 15;  // extent - 1 in every lane
constexpr int table_bytes_slot = 16;  // bytes: the table on the stack, behind the frame's own slot
// Free for partial results of a lookup, in the order in which they are taken.
constexpr int partial[] = {2, 3, 12, 13, 14};

}  // namespace

void TableBody::prepare_call_avx2() {
  lea(rax, ptr[r9 - 1]);
  vmovd(Xmm(last_index), eax);
  if (element_bytes() == 4) {
    vpbroadcastd(Ymm(last_index), Xmm(last_index));
  } else {
    vpbroadcastb(Ymm(last_index), Xmm(last_index));
  }
}

// Only the table itself is read: masked loads for dwords, byte by byte (once per row) for bytes, which have none.
void TableBody::load_table_avx2() {
  if (element_bytes() == 4) {
    for (int r = 0; r < registers(); ++r) {
      // last_index >= lane number, that is not (lane number > last_index): the complement needs one more vector.
      vmovdqu(ymm0, ptr[rip + lane_numbers_ + r * 32]);
      vpcmpgtd(ymm1, ymm0, Ymm(last_index));
      vpcmpeqd(ymm0, ymm0, ymm0);
      vpxor(ymm1, ymm1, ymm0);
      vpmaskmovd(Ymm(table + r), ymm1, ptr[src_ + r * 32]);
    }
    return;
  }
  Label next;
  xor_(eax, eax);
  L(next);
  movzx(ebx, byte[src_ + rax]);
  mov(byte[rsp + rax + table_bytes_slot], bl);
  inc(rax);
  cmp(rax, r9);
  jb(next);
  for (int r = 0; r < registers(); ++r) vbroadcasti128(Ymm(table + r), ptr[rsp + (table_bytes_slot + 16 * r)]);
}

// Leaves in partial[first] the lookup in registers `first_register` .. + count. The index is in ymm0; `shift` moves the bit that
// separates the two halves into the lane's sign.
void TableBody::combine(int first, int first_register, int count) {
  const bool bytes = element_bytes() == 1;
  const Ymm result(partial[first]);
  if (count == 1) {
    if (bytes) {
      vpshufb(result, Ymm(table + first_register), ymm0);
    } else {
      vpermd(result, ymm0, Ymm(table + first_register));
    }
    return;
  }
  const int half = count / 2;
  combine(first, first_register, half);
  combine(first + 1, first_register + half, half);
  // The bit of weight half * lanes() decides; it goes to the sign bit of its lane.
  int bit = bytes ? 4 : 3;
  for (int n = half; n > 1; n /= 2) ++bit;
  const Ymm select(1), other(partial[first + 1]);
  if (bytes) {
    vpsllw(select, ymm0, static_cast<uint8_t>(7 - bit));
    vpblendvb(result, result, other, select);
  } else {
    vpslld(select, ymm0, static_cast<uint8_t>(31 - bit));
    vblendvps(result, result, other, select);
  }
}

void TableBody::fast_block_dwords(const Label& careful) {
  const Ymm index = ymm0, last(last_index), spare(partial[0]), high(partial[1]);
  const bool wide = index_size() == 8;
  if (wide) {
    vmovdqu(ymm1, ptr[idx_]);
    vmovdqu(spare, ptr[idx_ + 32]);
    vshufps(index, ymm1, spare, 0x88);  // low dwords, in the order 0 1 4 5 2 3 6 7
    vshufps(high, ymm1, spare, 0xdd);
  } else {
    switch (key_.index_type) {
      case IndexType::i8: vpmovsxbd(index, ptr[idx_]); break;
      case IndexType::u8: vpmovzxbd(index, ptr[idx_]); break;
      case IndexType::i16: vpmovsxwd(index, ptr[idx_]); break;
      case IndexType::u16: vpmovzxwd(index, ptr[idx_]); break;
      default: vmovdqu(index, ptr[idx_]);
    }
  }
  vpminud(spare, index, last);
  vpxor(spare, spare, index);
  if (wide) vpor(spare, spare, high);
  vptest(spare, spare);
  jnz(careful, T_NEAR);
  combine(0, 0, registers());
  const Ymm result(partial[0]);
  if (wide) vpermq(result, result, 0xd8);
  vmovdqu(ptr[dst_], result);
}

void TableBody::fast_block_bytes(const Label& careful) {
  const Ymm index = ymm0, seen = ymm1, last(last_index);
  // Vectors of indices, packed to bytes by saturation; `seen` proves that no bit was lost.
  const int count = index_size();
  const Ymm packed[] = {Ymm(2), Ymm(3), Ymm(12), Ymm(13)};
  if (count == 1) {
    vmovdqu(index, ptr[idx_]);
  } else {
    const int vectors = count == 8 ? 4 : count;
    for (int v = 0; v < vectors; ++v) {
      if (count == 8) {
        const Ymm low_half = index, high_half(14);
        vmovdqu(low_half, ptr[idx_ + 64 * v]);
        vmovdqu(high_half, ptr[idx_ + (64 * v + 32)]);
        vshufps(packed[v], low_half, high_half, 0x88);
        vpor(low_half, low_half, high_half);
        if (v == 0) {
          vmovdqa(seen, low_half);
        } else {
          vpor(seen, seen, low_half);
        }
      } else {
        vmovdqu(packed[v], ptr[idx_ + 32 * v]);
        if (v == 1) vpor(seen, packed[0], packed[1]);
        if (v > 1) vpor(seen, seen, packed[v]);
      }
    }
    vptest(seen, ptr[rip + not_a_byte_]);
    jnz(careful, T_NEAR);
    if (vectors == 4) {
      vpackusdw(packed[0], packed[0], packed[1]);
      vpackusdw(packed[1], packed[2], packed[3]);
    }
    vpackuswb(index, packed[0], packed[1]);
  }
  const Ymm spare(partial[0]);
  vpminub(spare, index, last);
  vpxor(spare, spare, index);
  vptest(spare, spare);
  jnz(careful, T_NEAR);
  combine(0, 0, registers());

  // Packing works in halves of a register; put the results in the order of the positions.
  const Ymm result(partial[0]);
  const Xmm low(partial[0]), high(partial[1]), joined(partial[2]);
  switch (index_size()) {
    case 1: vmovdqu(ptr[dst_], result); break;
    case 2:
      vpermq(result, result, 0xd8);
      vmovdqu(ptr[dst_], result);
      break;
    case 4:
      vmovdqu(ymm1, ptr[rip + byte_order_]);
      vpermd(result, ymm1, result);
      vmovdqu(ptr[dst_], result);
      break;
    default:
      vextracti128(high, result, 1);
      vpunpcklwd(joined, low, high);
      vpunpckhwd(low, low, high);
      vmovdqu(ptr[dst_], joined);
      vmovdqu(ptr[dst_ + 16], low);
  }
}

}  // namespace garner::jit
