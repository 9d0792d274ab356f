// SPDX-License-Identifier: Apache-2.0
// Table lookups with AVX2: vpermd for dwords, vpshufb for planes of bytes (table_planes_avx2.cpp), one per table register, joined by
// blends on the index bits.
// A negative index makes the block careful: wrapping in the vector would cost every block more than it saves.
#include <bit>

#include "jit/table_body.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

}  // namespace

void TableBody::prepare_call_avx2() {
  lea(rax, ptr[r9 - 1]);
  vmovd(Xmm(last_index), eax);
  if (planes() > 0) {
    vpbroadcastb(Ymm(last_index), Xmm(last_index));
    return;
  }
  vpbroadcastd(Ymm(last_index), Xmm(last_index));
  if (has_column_tables()) return;
  for (int r = 0; r < registers(); ++r) {
    // A lane exists unless its number is above the last index.
    vmovdqu(ymm0, ptr[rip + lane_numbers_ + r * 32]);
    vpcmpgtd(ymm1, ymm0, Ymm(last_index));
    vpcmpeqd(ymm0, ymm0, ymm0);
    vpxor(Ymm(masks + r), ymm1, ymm0);
  }
}

// Only the table itself is read. Masked loads do not train the hardware prefetcher of Zen 3, which halves the speed of rows beyond
// L2. A table that fills its registers is loaded without masks; for others the row eight rows ahead is fetched.
void TableBody::load_dwords_avx2() {
  Label masked, loaded;
  cmp(r9, registers() * lanes());
  jne(masked);
  for (int r = 0; r < registers(); ++r) vmovdqu(Ymm(table + r), ptr[src_ + r * 32]);
  jmp(loaded);
  L(masked);
  mov(rax, field(offsetof(KernelArgs, data_carry)));
  for (int r = 0; r < registers(); r += 2) prefetcht0(ptr[src_ + rax * 8 + r * 32]);
  for (int r = 0; r < registers(); ++r) vpmaskmovd(Ymm(table + r), Ymm(masks + r), ptr[src_ + r * 32]);
  L(loaded);
}

// Where the bit that tells groups of 2^level registers apart waits. With column tables the registers of tables are free.
int TableBody::select_register(int level) const {
  return has_column_tables() ? select_bits_of_columns[level] : select_bits[level];
}

// Moves the index bit that tells 2^level registers from the next as many to the sign of its lane, where blends look.
void TableBody::select_bit(const Ymm& select, const Ymm& index, int level) {
  const int bit = (has_column_tables() ? 0 : log2_of(lanes())) + level;
  if (select.getIdx() == index.getIdx() && bit == (planes() > 0 ? 7 : 31)) return;
  if (planes() > 0) {
    vpsllw(select, index, static_cast<uint8_t>(7 - bit));
  } else {
    vpslld(select, index, static_cast<uint8_t>(31 - bit));
  }
}

// All that choose more than once get registers of their own; with one plane or none the highest bit chooses last, and the index is
// not needed any more.
void TableBody::select_all_bits(const Ymm& index) {
  const int kept = log2_of(registers()) - (planes() > 1 ? 0 : 1);
  for (int level = 0; level < kept; ++level) select_bit(Ymm(select_register(level)), index, level);
}

// Leaves in partial[0] the elements that `index` names; it is the index of positions from `first_position` of the block on.
void TableBody::look_up_avx2(const Ymm& index, int first_position) {
  select_all_bits(index);
  combine(index, first_position, 0, 0, registers());
}

// Leaves in partial[first] the lookup of `index` in the registers `first_register` .. + count.
void TableBody::combine(const Ymm& index, int first_position, int first, int first_register, int count) {
  const Ymm result(partial[first]);
  if (count == 1) {
    if (has_column_tables()) {
      vmovdqu(result, ptr[row_of_columns(first_register, first_position)]);
    } else if (planes() == 0) {
      vpermd(result, index, Ymm(table + first_register));
    } else {
      look_up_bytes(result, index, first_register);
    }
    return;
  }
  const int half = count / 2, level = log2_of(half);
  combine(index, first_position, first, first_register, half);
  combine(index, first_position, first + 1, first_register + half, half);
  const Ymm other(partial[first + 1]);
  const bool topmost = count == registers() && planes() <= 1;
  const Ymm select = topmost ? index : Ymm(select_register(level));
  if (topmost) select_bit(select, index, level);
  if (planes() > 0) {
    vpblendvb(result, result, other, select);
  } else {
    vblendvps(result, result, other, select);
  }
}

// Eight indices as dwords in ymm0 or ymm1; leaves in partial[vector] something non-zero where one is not in the table.
void TableBody::load_dword_indices(int vector, int first_position) {
  const Ymm index(vector), bad(partial[vector]), last(last_index), high(partial[2]), other(partial[3]);
  const Address source = ptr[idx_ + first_position * index_size()];
  const bool wide = index_size() == 8;
  if (wide) {
    vmovdqu(high, source);
    vmovdqu(other, ptr[idx_ + (first_position * index_size() + 32)]);
    vshufps(index, high, other, 0x88);  // low dwords, in the order 0 1 4 5 2 3 6 7
    vshufps(high, high, other, 0xdd);
  } else {
    switch (key_.index_type) {
      case IndexType::i8: vpmovsxbd(index, source); break;
      case IndexType::u8: vpmovzxbd(index, source); break;
      case IndexType::i16: vpmovsxwd(index, source); break;
      case IndexType::u16: vpmovzxwd(index, source); break;
      default: vmovdqu(index, source);
    }
  }
  vpminud(bad, index, last);
  vpxor(bad, bad, index);
  if (wide) vpor(bad, bad, high);
}

void TableBody::fast_block_dwords(int positions, const Label& careful) {
  const int vectors = positions / 8;
  for (int v = 0; v < vectors; ++v) load_dword_indices(v, 8 * v);
  const Ymm bad(partial[0]);
  if (vectors == 2) vpor(bad, bad, Ymm(partial[1]));
  vptest(bad, bad);
  jnz(careful, T_NEAR);
  for (int v = 0; v < vectors; ++v) {
    // Quadwords were narrowed in halves of a register. Elements of one table are put in order after the lookup, where they
    // wait for nothing; columns have to meet their own index.
    if (has_column_tables() && index_size() == 8) vpermq(Ymm(v), Ymm(v), 0xd8);
    look_up_avx2(Ymm(v), 8 * v);
    const Ymm result(partial[0]);
    if (!has_column_tables() && index_size() == 8) vpermq(result, result, 0xd8);
    vmovdqu(ptr[dst_ + 32 * v], result);
  }
}

}  // namespace garner::jit
