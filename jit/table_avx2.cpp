// SPDX-License-Identifier: Apache-2.0
// Table lookups with AVX2: vpermd for dwords, vpshufb for bytes, one per table register, joined by blends on the index bits.
// A negative index makes the block careful: wrapping in the vector would cost every block more than it saves.
#include <bit>

#include "jit/table_body.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

constexpr int table = 4;                        // to 11 for bytes, to 7 for dwords
constexpr int masks = 8;                        // to 11: which lanes of the dword table registers exist
constexpr int last_index = 15;                  // extent - 1 in every lane
constexpr int table_bytes_slot = frame_header;  // bytes: offset of the table from rsp
constexpr int most_table_registers = 8;         // a larger table of bytes stays on the stack
// Free for partial results of a lookup, in the order in which they are taken. The last one serves tables on the stack only.
constexpr int partial[] = {2, 3, 12, 13, 11};
// Index bits that tell halves, quarters ... of the table apart, each in the sign of its lane, lowest first. The second and third
// serve tables of at least 8 and 16 pieces, of bytes.
constexpr int select_bits[] = {14, 1, 10};
constexpr int select_bits_of_columns[] = {14, 10};
constexpr int low_bits =
    9;  // tables on the stack: the index within a piece, since shuffles take bit 7 for a request for zero

int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

}  // namespace

void TableBody::prepare_call_avx2() {
  lea(rax, ptr[r9 - 1]);
  vmovd(Xmm(last_index), eax);
  if (element_bytes() == 4) {
    vpbroadcastd(Ymm(last_index), Xmm(last_index));
    if (has_column_tables()) return;
    for (int r = 0; r < registers(); ++r) {
      // A lane exists unless its number is above the last index.
      vmovdqu(ymm0, ptr[rip + lane_numbers_ + r * 32]);
      vpcmpgtd(ymm1, ymm0, Ymm(last_index));
      vpcmpeqd(ymm0, ymm0, ymm0);
      vpxor(Ymm(masks + r), ymm1, ymm0);
    }
  } else {
    vpbroadcastb(Ymm(last_index), Xmm(last_index));
  }
}

// Only the table itself is read: masked loads for dwords, byte by byte (once per row) for bytes, which have none.
void TableBody::load_table_avx2() {
  if (element_bytes() == 4) {
    // Masked loads do not train the hardware prefetcher of Zen 3, which halves the speed of rows beyond L2. A table that fills
    // its registers is loaded without masks; for others the row eight rows ahead is fetched.
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
  if (registers() > most_table_registers) return;
  for (int r = 0; r < registers(); ++r) vbroadcasti128(Ymm(table + r), ptr[rsp + (table_bytes_slot + 16 * r)]);
}

// Where the bit that tells groups of 2^level registers apart waits. With column tables the registers of tables are free.
int TableBody::select_register(int level) const {
  return has_column_tables() ? select_bits_of_columns[level] : select_bits[level];
}

// Moves the index bit that tells 2^level registers from the next as many to the sign of its lane, where blends look.
void TableBody::select_bit(const Ymm& select, const Ymm& index, int level) {
  const int bit = (has_column_tables() ? 0 : log2_of(lanes())) + level;
  if (select.getIdx() == index.getIdx() && bit == (element_bytes() == 1 ? 7 : 31)) return;
  if (element_bytes() == 1) {
    vpsllw(select, index, static_cast<uint8_t>(7 - bit));
  } else {
    vpslld(select, index, static_cast<uint8_t>(31 - bit));
  }
}

// Leaves in partial[0] the elements that `index` names; it is the index of positions from `first_position` of the block on.
void TableBody::look_up_avx2(const Ymm& index, int first_position) {
  // All bits but the highest select more than once.
  for (int level = 0; level + 1 < log2_of(registers()); ++level) select_bit(Ymm(select_register(level)), index, level);
  if (registers() > most_table_registers) vpand(Ymm(low_bits), index, ptr[rip + piece_bits_]);
  combine(index, first_position, 0, 0, registers());
}

// Leaves in partial[first] the lookup of `index` in the registers `first_register` .. + count.
void TableBody::combine(const Ymm& index, int first_position, int first, int first_register, int count) {
  const bool bytes = element_bytes() == 1;
  const Ymm result(partial[first]);
  if (count == 1) {
    if (has_column_tables()) {
      vmovdqu(result, ptr[row_of_columns(first_register, first_position)]);
    } else if (!bytes) {
      vpermd(result, index, Ymm(table + first_register));
    } else if (registers() > most_table_registers) {
      vbroadcasti128(result, ptr[rsp + (table_bytes_slot + 16 * first_register)]);
      vpshufb(result, result, Ymm(low_bits));
    } else {
      vpshufb(result, Ymm(table + first_register), index);
    }
    return;
  }
  const int half = count / 2, level = log2_of(half);
  combine(index, first_position, first, first_register, half);
  combine(index, first_position, first + 1, first_register + half, half);
  const Ymm other(partial[first + 1]);
  const bool topmost = count == registers();  // the index is not needed any more
  const Ymm select = topmost ? index : Ymm(select_register(level));
  if (topmost) select_bit(select, index, level);
  if (bytes) {
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
        const Ymm low_half = index, high_half(select_bits[0]);
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
  look_up_avx2(index, 0);

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
