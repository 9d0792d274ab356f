// SPDX-License-Identifier: Apache-2.0
// Table lookups with AVX-512: vperm / vpermi2 over one or two registers, two of those and a blend for four.
#include <algorithm>

#include "jit/table_body.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

// Vector registers; 0 to 3 belong to careful blocks, and the table begins at `table`.
constexpr int indices = 8;      // to 15: as loaded, one register for each piece
constexpr int extent = 16;      // in every work lane
constexpr int upper_half = 17;  // the index bit that tells the registers 2 and 3 from 0 and 1
constexpr int second = 18;
constexpr int exists_masks = 4;  // k4 to k7: which lanes of the table registers exist
const Opmask& bad = k1;
const Opmask& scratch = k2;

constexpr uint8_t not_below = 5;  // predicate of vpcmpu

}  // namespace

// Indices are checked in lanes that hold any value of theirs beside the extent (at most 256), and are as wide as an element.
int TableBody::index_work_bytes_avx512() const { return std::max({index_size(), element_bytes(), 2}); }

void TableBody::prepare_call_avx512() {
  for (int r = 0; r < registers() && !has_column_tables(); ++r) {
    // Bit l tells whether lane l exists: min(max(extent - r * lanes, 0), 64) ones.
    xor_(ebp, ebp);
    mov(rax, r9);
    sub(rax, r * lanes());
    cmovs(rax, rbp);
    mov(ebp, 64);  // bzhi looks at 8 bits of the count
    cmp(rax, rbp);
    cmova(rax, rbp);
    or_(rbx, -1);
    bzhi(rbx, rbx, rax);
    kmovq(Opmask(exists_masks + r), rbx);
  }
  switch (index_work_bytes_avx512()) {
    case 2: vpbroadcastw(Zmm(extent), r9w); break;
    case 4: vpbroadcastd(Zmm(extent), r9d); break;
    default: vpbroadcastq(Zmm(extent), r9);
  }
  if (registers() < 4 || has_column_tables()) return;
  mov(eax, 2 * lanes());
  switch (element_bytes()) {
    case 1: vpbroadcastb(Zmm(upper_half), al); break;
    case 2: vpbroadcastw(Zmm(upper_half), ax); break;
    case 4: vpbroadcastd(Zmm(upper_half), eax); break;
    default: vpbroadcastq(Zmm(upper_half), rax);
  }
}

// Masked to the extent: nothing behind the table is read.
void TableBody::load_table_avx512() {
  for (int r = 0; r < registers(); ++r) {
    const Opmask exists(exists_masks + r);
    const Address source = ptr[src_ + r * 64];
    switch (element_bytes()) {
      case 1: vmovdqu8(Zmm(table + r) | exists | T_z, source); break;
      case 2: vmovdqu16(Zmm(table + r) | exists | T_z, source); break;
      case 4: vmovdqu32(Zmm(table + r) | exists | T_z, source); break;
      default: vmovdqu64(Zmm(table + r) | exists | T_z, source);
    }
  }
}

void TableBody::load_indices_avx512(int vector, int first_position, bool first_check) {
  const Zmm value(vector);
  const Address source = ptr[idx_ + first_position * index_size()];
  const bool is_signed = index_is_signed(key_.index_type);
  const int work = index_work_bytes_avx512();
  if (index_size() == work) {
    vmovdqu64(value, source);
  } else if (index_size() == 1) {
    if (work == 2) is_signed ? vpmovsxbw(value, source) : vpmovzxbw(value, source);
    if (work == 4) is_signed ? vpmovsxbd(value, source) : vpmovzxbd(value, source);
    if (work == 8) is_signed ? vpmovsxbq(value, source) : vpmovzxbq(value, source);
  } else if (index_size() == 2) {
    if (work == 4) is_signed ? vpmovsxwd(value, source) : vpmovzxwd(value, source);
    if (work == 8) is_signed ? vpmovsxwq(value, source) : vpmovzxwq(value, source);
  } else {
    is_signed ? vpmovsxdq(value, source) : vpmovzxdq(value, source);
  }

  const bool wraps = is_signed && key_.negative == Negative::wrap;
  const Opmask& fresh = first_check ? bad : scratch;
  switch (work) {
    case 2:
      if (wraps) {
        vpmovw2m(scratch, value);
        vpaddw(value | scratch, value, Zmm(extent));
      }
      vpcmpuw(fresh, value, Zmm(extent), not_below);
      break;
    case 4:
      if (wraps) {
        vpmovd2m(scratch, value);
        vpaddd(value | scratch, value, Zmm(extent));
      }
      vpcmpud(fresh, value, Zmm(extent), not_below);
      break;
    default:
      if (wraps) {
        vpmovq2m(scratch, value);
        vpaddq(value | scratch, value, Zmm(extent));
      }
      vpcmpuq(fresh, value, Zmm(extent), not_below);
  }
  if (!first_check) korq(bad, bad, scratch);
}

void TableBody::narrow_avx512(int vector) {
  const int work = index_work_bytes_avx512();
  if (work == element_bytes()) return;
  const Zmm value(vector);
  if (work == 8) {
    if (element_bytes() == 4) vpmovqd(Ymm(vector), value);
    if (element_bytes() == 2) vpmovqw(Xmm(vector), value);
    if (element_bytes() == 1) vpmovqb(Xmm(vector), value);
  } else if (work == 4) {
    if (element_bytes() == 2) vpmovdw(Ymm(vector), value);
    if (element_bytes() == 1) vpmovdb(Xmm(vector), value);
  } else {
    vpmovwb(Ymm(vector), value);
  }
}

// Joins `count` pieces in neighbouring registers to one full register.
void TableBody::merge_avx512(int first, int count, int piece_bytes) {
  if (piece_bytes == 8) {
    for (int pair = 0; pair < count / 2; ++pair) {
      vpunpcklqdq(Xmm(first + pair), Xmm(first + 2 * pair), Xmm(first + 2 * pair + 1));
    }
    count /= 2;
    piece_bytes = 16;
  }
  for (int piece = 1; piece < count; ++piece) {
    if (piece_bytes == 32) {
      vinserti64x4(Zmm(first), Zmm(first), Ymm(first + piece), static_cast<uint8_t>(piece));
    } else {
      vinserti32x4(Zmm(first), Zmm(first), Xmm(first + piece), static_cast<uint8_t>(piece));
    }
  }
}

void TableBody::look_up_avx512(int vector) {
  const Zmm index(vector), t0(table), t1(table + 1), t2(table + 2), t3(table + 3), other(second), half(upper_half);
  const bool four = registers() == 4;
  if (four) vmovdqa64(other, index);
  switch (element_bytes()) {
    case 1:
      if (four) vptestmb(k3, index, half);
      registers() == 1 ? vpermb(index, index, t0) : vpermi2b(index, t0, t1);
      if (four) {
        vpermi2b(other, t2, t3);
        vpblendmb(index | k3, index, other);
      }
      break;
    case 2:
      if (four) vptestmw(k3, index, half);
      registers() == 1 ? vpermw(index, index, t0) : vpermi2w(index, t0, t1);
      if (four) {
        vpermi2w(other, t2, t3);
        vpblendmw(index | k3, index, other);
      }
      break;
    case 4:
      if (four) vptestmd(k3, index, half);
      registers() == 1 ? vpermd(index, index, t0) : vpermi2d(index, t0, t1);
      if (four) {
        vpermi2d(other, t2, t3);
        vpblendmd(index | k3, index, other);
      }
      break;
    default:
      if (four) vptestmq(k3, index, half);
      registers() == 1 ? vpermq(index, index, t0) : vpermi2q(index, t0, t1);
      if (four) {
        vpermi2q(other, t2, t3);
        vpblendmq(index | k3, index, other);
      }
  }
}

// From each row the lanes whose index names it; each lane is named once, since its index was checked.
void TableBody::choose_rows_avx512(int vector) {
  const Zmm index(vector), result(second);
  for (int row = 0; row < registers(); ++row) {
    const Address number = ptr[rip + row_numbers_ + 8 * row];
    const RegExp columns = row_of_columns(row, 0);
    switch (element_bytes()) {
      case 1:
        vpbroadcastb(Zmm(table), number);
        vpcmpeqb(scratch, index, Zmm(table));
        vmovdqu8(result | scratch, ptr[columns]);
        break;
      case 2:
        vpbroadcastw(Zmm(table), number);
        vpcmpeqw(scratch, index, Zmm(table));
        vmovdqu16(result | scratch, ptr[columns]);
        break;
      case 4:
        vpbroadcastd(Zmm(table), number);
        vpcmpeqd(scratch, index, Zmm(table));
        vmovdqu32(result | scratch, ptr[columns]);
        break;
      default:
        vpbroadcastq(Zmm(table), number);
        vpcmpeqq(scratch, index, Zmm(table));
        vmovdqu64(result | scratch, ptr[columns]);
    }
  }
  vmovdqa64(index, result);
}

void TableBody::fast_block_avx512(const Label& careful) {
  const int positions_per_piece = 64 / index_work_bytes_avx512();
  const int pieces = block_ / positions_per_piece;
  for (int piece = 0; piece < pieces; ++piece) {
    load_indices_avx512(indices + piece, piece * positions_per_piece, piece == 0);
  }
  kortestq(bad, bad);
  jnz(careful, T_NEAR);
  for (int piece = 0; piece < pieces; ++piece) narrow_avx512(indices + piece);
  merge_avx512(indices, pieces, 64 / pieces);
  has_column_tables() ? choose_rows_avx512(indices) : look_up_avx512(indices);
  vmovdqu64(ptr[dst_], Zmm(indices));
}

}  // namespace garner::jit
