// SPDX-License-Identifier: Apache-2.0
// Byte lookups with AVX2. A table of elements of several bytes is cut into planes: the first bytes of all elements, the second ones ...
// Each plane is looked up with the same index bytes, 32 positions in one vpshufb per 16 entries, and the results are interleaved:
// half the shuffles of vpermd, and the only way for words. A table of bytes is one plane.
#include <algorithm>
#include <array>

#include "jit/table_body.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

constexpr int vector_bytes = 32;
constexpr int lane_bytes = 16;
constexpr int entries_of_piece = 16;     // that one shuffle chooses from
constexpr int most_table_registers = 8;  // larger tables stay on the stack
constexpr int most_plain_index = 128;    // shuffles take bit 7 of an index for a request for zero

using Bytes = std::array<uint8_t, vector_bytes>;

// Which position each byte of a vector stands for when groups of `group` positions go to the low and the high lane in turns. Packing
// wide integers to bytes, and interleaving bytes to wide elements, work within lanes, and leave or want such an order each.
Bytes in_turns(int group) {
  Bytes order;
  for (int at = 0; at < vector_bytes; ++at) {
    const int lane = at / lane_bytes, slot = at % lane_bytes;
    order[at] = static_cast<uint8_t>((2 * (slot / group) + lane) * group + slot % group);
  }
  return order;
}

int place_in(const Bytes& order, uint8_t position) {
  return static_cast<int>(std::find(order.begin(), order.end(), position) - order.begin());
}

// From one order to another: a shuffle within the lanes, vpermq 0xd8 (which exchanges the middle quarters), and another shuffle.
struct Reordering {
  Bytes before, after;
};

// `from` and `to` differ: then each lane gives half of its bytes to the other.
Reordering reordering(const Bytes& from, const Bytes& to) {
  Reordering result{};
  Bytes between{};  // the positions after the first shuffle and the exchange
  for (int lane = 0; lane < 2; ++lane) {
    // What belongs into the low lane goes first, so that the exchange brings it there.
    int places[] = {0, lane_bytes / 2};
    for (int slot = 0; slot < lane_bytes; ++slot) {
      const uint8_t position = from[lane * lane_bytes + slot];
      const int target = place_in(to, position) / lane_bytes;
      const int place = places[target]++;
      result.before[lane * lane_bytes + place] = static_cast<uint8_t>(slot);
      between[target * lane_bytes + lane * (lane_bytes / 2) + place % (lane_bytes / 2)] = position;
    }
  }
  for (int at = 0; at < vector_bytes; ++at) {
    result.after[at] = static_cast<uint8_t>(place_in(between, to[at]) % lane_bytes);
  }
  return result;
}

Reordering byte_order(int index_bytes, int planes) {
  return reordering(in_turns(lane_bytes / index_bytes), in_turns(lane_bytes / planes));
}

bool changes_nothing(const Bytes& shuffle) {
  for (int at = 0; at < vector_bytes; ++at) {
    if (shuffle[at] != at % lane_bytes) return false;
  }
  return true;
}

}  // namespace

// Four planes leave no registers for a table.
bool TableBody::planes_on_stack() const { return planes() == 4 || planes() * registers() > most_table_registers; }

// Reads only the table: the last group of 16 elements may overlap the one before, and fewer than 16 are taken byte by byte.
void TableBody::load_planes_avx2() {
  Label next, next_element, loaded;
  const Reg64 at = rax, last = rbx;
  xor_(eax, eax);
  lea(last, ptr[r9 - entries_of_piece]);
  cmp(r9, entries_of_piece);
  jb(next_element, T_NEAR);
  L(next);
  load_piece_of_planes(at);
  cmp(at, last);
  jae(loaded, T_NEAR);
  add(at, entries_of_piece);
  cmp(at, last);
  cmova(at, last);
  jmp(next);

  L(next_element);
  for (int plane = 0; plane < planes(); ++plane) {
    movzx(ebx, byte[src_ + at * planes() + plane]);
    mov(byte[plane_slot(plane) + at], bl);
  }
  inc(at);
  cmp(at, r9);
  jb(next_element);
  L(loaded);
  if (planes_on_stack()) return;
  for (int r = 0; r < planes() * registers(); ++r) {
    vbroadcasti128(Ymm(table + r), ptr[plane_slot(0) + lane_bytes * r]);
  }
}

RegExp TableBody::plane_slot(int plane) const { return rsp + (frame_header + plane * registers() * lane_bytes); }

// 16 elements from `at` on: each vector of them is sorted by planes, and the equal parts of the vectors are joined.
void TableBody::load_piece_of_planes(const Reg64& at) {
  const Xmm x[] = {xmm0, xmm1, xmm2, xmm3}, y[] = {Xmm(4), Xmm(5), Xmm(6), Xmm(7)};
  for (int v = 0; v < planes(); ++v) {
    vmovdqu(x[v], ptr[src_ + at * planes() + lane_bytes * v]);
    if (planes() > 1) vpshufb(x[v], x[v], ptr[rip + by_planes_]);
  }
  switch (planes()) {
    case 1: vmovdqu(ptr[plane_slot(0) + at], x[0]); return;
    case 2:
      vpunpcklqdq(y[0], x[0], x[1]);
      vpunpckhqdq(y[1], x[0], x[1]);
      break;
    default:
      vpunpckldq(y[0], x[0], x[1]);
      vpunpckldq(y[1], x[2], x[3]);
      vpunpckhdq(y[2], x[0], x[1]);
      vpunpckhdq(y[3], x[2], x[3]);
      vpunpcklqdq(x[0], y[0], y[1]);
      vpunpckhqdq(x[1], y[0], y[1]);
      vpunpcklqdq(x[2], y[2], y[3]);
      vpunpckhqdq(x[3], y[2], y[3]);
  }
  for (int plane = 0; plane < planes(); ++plane)
    vmovdqu(ptr[plane_slot(plane) + at], planes() == 2 ? y[plane] : x[plane]);
}

void TableBody::look_up_bytes(const Ymm& result, const Ymm& index, int table_register) {
  if (!planes_on_stack()) {
    vpshufb(result, Ymm(table + table_register), index);
    return;
  }
  vbroadcasti128(result, ptr[plane_slot(0) + lane_bytes * table_register]);
  vpshufb(result, result, lane_bytes * registers() > most_plain_index ? Ymm(low_bits) : index);
}

// 32 indices as bytes in `index`, as packing orders them. `seen` proves that no bit was lost.
void TableBody::load_byte_indices(const Ymm& index, const Ymm& seen, const Label& careful) {
  const int count = index_size();
  if (count == 1) {
    vmovdqu(index, ptr[idx_]);
    return;
  }
  const Ymm packed[] = {Ymm(partial[0]), Ymm(partial[1]), Ymm(partial[2]), Ymm(partial[3])};
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

// Packing leaves runs of 16 / index_size() positions in turns; interleaving makes a run of as many as a lane holds elements.
void TableBody::order_byte_indices(const Ymm& index) {
  if (index_size() == planes()) return;
  const Reordering order = byte_order(index_size(), planes());
  if (!changes_nothing(order.before)) vpshufb(index, index, ptr[rip + order_before_]);
  vpermq(index, index, 0xd8);
  if (!changes_nothing(order.after)) vpshufb(index, index, ptr[rip + order_after_]);
}

void TableBody::fast_block_planes(const Label& careful) {
  const Ymm index = ymm0, spare(partial[0]);
  load_byte_indices(index, ymm1, careful);
  vpminub(spare, index, Ymm(last_index));
  vpxor(spare, spare, index);
  vptest(spare, spare);
  jnz(careful, T_NEAR);
  order_byte_indices(index);

  select_all_bits(index);
  if (lane_bytes * registers() > most_plain_index) vpand(Ymm(low_bits), index, ptr[rip + piece_bits_]);
  for (int plane = 0; plane < planes(); ++plane) combine(index, 0, plane, plane * registers(), registers());
  interleave_planes();
}

// The planes are in partial[0] and following; index and selecting bits are not needed any more.
void TableBody::interleave_planes() {
  const Ymm p[] = {Ymm(partial[0]), Ymm(partial[1]), Ymm(partial[2]), Ymm(partial[3])};
  const auto store = [this](const Ymm& vector, int number) { vmovdqu(ptr[dst_ + vector_bytes * number], vector); };
  if (planes() == 1) return store(p[0], 0);
  const Ymm low = ymm0, high = ymm1;
  vpunpcklbw(low, p[0], p[1]);
  vpunpckhbw(high, p[0], p[1]);
  if (planes() == 2) {
    store(low, 0);
    store(high, 1);
    return;
  }
  const Ymm upper_low = p[0], upper_high = p[1];
  vpunpcklbw(upper_low, p[2], p[3]);
  vpunpckhbw(upper_high, p[2], p[3]);
  vpunpcklwd(p[2], low, upper_low);
  vpunpckhwd(p[3], low, upper_low);
  store(p[2], 0);
  store(p[3], 1);
  vpunpcklwd(p[2], high, upper_high);
  vpunpckhwd(p[3], high, upper_high);
  store(p[2], 2);
  store(p[3], 3);
}

void TableBody::emit_plane_constants() {
  L(piece_bits_);
  for (int at = 0; at < vector_bytes; ++at) db(lane_bytes - 1);
  L(not_a_byte_);  // bits that no index below 256 has, per index width
  for (int at = 0; at < vector_bytes; ++at) db(at % index_size() == 0 ? 0x00 : 0xff);
  if (index_size() != planes()) {
    const Reordering order = byte_order(index_size(), planes());
    L(order_before_);
    for (const uint8_t slot : order.before) db(slot);
    L(order_after_);
    for (const uint8_t slot : order.after) db(slot);
  }
  L(by_planes_);  // within a lane, the first bytes of the elements, the second ones ...
  const int elements = lane_bytes / planes();
  for (int at = 0; at < lane_bytes; ++at) db(at % elements * planes() + at / elements);
}

}  // namespace garner::jit
