// SPDX-License-Identifier: Apache-2.0
#include "jit/hardware_body.h"

#include "jit/kernel_list.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

namespace {

// Vector registers. Each block holds two groups.
constexpr int offsets = 0;  // and 1: byte or element offsets of the two groups
constexpr int index = 2;    // one coordinate of one group
constexpr int constant = 3, temporary = 4;
constexpr int in_bounds = 5;  // sign bit of each lane: all checks so far passed (AVX2)
constexpr int gathered = 6, gather_mask = 7;
constexpr int zero = 8;
constexpr int tuple_offsets = 9;    // byte offsets of a group's tuples from the first one
constexpr int column_offsets = 10;  // data bytes of a group's columns from the first one
// AVX-512 mask registers.
const Opmask& bad = k1;  // lanes out of bounds
const Opmask& scratch = k2;
const Opmask& all = k3;

}  // namespace

HardwareBody::HardwareBody(const KernelKey& key, void* buffer, size_t capacity)
    : KernelGenerator(key, buffer, capacity, block_positions(key)) {}

Xmm HardwareBody::vector(int number) const {
  if (is_avx512()) return Zmm(number);
  return Ymm(number);
}

Xmm HardwareBody::half_vector(int number) const {
  if (is_avx512()) return Ymm(number);
  return Xmm(number);
}

void HardwareBody::prepare_call() {
  if (is_avx512()) {
    vpxord(vector(zero), vector(zero), vector(zero));
  } else {
    vpxor(vector(zero), vector(zero), vector(zero));
  }
  if (key_.coord_count > 1 && index_size() >= 4) vmovups(vector(tuple_offsets), ptr[rip + tuple_lanes_]);
  if (key_.lanes == Lanes::unit) vmovups(vector(column_offsets), ptr[rip + column_lanes_]);
  if (is_step()) {
    // Multiples of the column stride, built in pairs: a 64-bit vector product does not exist everywhere.
    xor_(eax, eax);
    for (int pair = 0; pair < group() / 2; ++pair) {
      const Xmm low(pair == 0 ? column_offsets : temporary);
      vmovq(low, rax);
      add(rax, column_step_);
      vpinsrq(low, low, rax, 1);
      add(rax, column_step_);
      if (pair == 0) continue;
      if (is_avx512()) {
        vinserti64x2(Zmm(column_offsets), Zmm(column_offsets), low, static_cast<uint8_t>(pair));
      } else {
        vinserti128(Ymm(column_offsets), Ymm(column_offsets), low, static_cast<uint8_t>(pair));
      }
    }
  }
}

void HardwareBody::emit_constants() {
  align(64);
  if (key_.coord_count > 1) {
    L(tuple_lanes_);
    for (int l = 0; l < group(); ++l) dq(static_cast<uint64_t>(l * tuple_bytes()));
  } else {
    L(tuple_lanes_);
  }
  L(column_lanes_);
  for (int l = 0; l < group(); ++l) dq(static_cast<uint64_t>(l * element_bytes()));
}

void HardwareBody::broadcast(const Xmm& dst, const Address& value) {
  if (narrow()) {
    vpbroadcastd(dst, value);
  } else {
    vpbroadcastq(dst, value);
  }
}

// Lanes of the group's indices, sign- or zero-extended.
void HardwareBody::load_lanes(const Xmm& dst, int first_position, int k) {
  if (key_.coord_count == 1) {
    load_contiguous(dst, first_position);
  } else {
    load_spread(dst, first_position, k);
  }
}

void HardwareBody::load_contiguous(const Xmm& dst, int first_position) {
  const Address source = ptr[idx_ + first_position * index_size()];
  switch (key_.index_type) {
    case IndexType::i8: narrow() ? vpmovsxbd(dst, source) : vpmovsxbq(dst, source); break;
    case IndexType::u8: narrow() ? vpmovzxbd(dst, source) : vpmovzxbq(dst, source); break;
    case IndexType::i16: narrow() ? vpmovsxwd(dst, source) : vpmovsxwq(dst, source); break;
    case IndexType::u16: narrow() ? vpmovzxwd(dst, source) : vpmovzxwq(dst, source); break;
    case IndexType::i32: narrow() ? vmovups(dst, source) : vpmovsxdq(dst, source); break;
    case IndexType::u32: narrow() ? vmovups(dst, source) : vpmovzxdq(dst, source); break;
    case IndexType::i64:
    case IndexType::u64: vmovups(dst, source); break;
  }
}

// One coordinate of each tuple of the group. The smallest gather reads 4 bytes, so narrower indices come one by one: nothing
// behind the tensor may be read.
void HardwareBody::load_spread(const Xmm& dst, int first_position, int k) {
  const int displacement = first_position * tuple_bytes() + k * index_size();
  if (index_size() < 4) {
    for (int pair = 0; pair < group() / 2; ++pair) {
      const Xmm low(pair == 0 ? dst.getIdx() : temporary);
      load_index(rax, first_position + 2 * pair, k);
      vmovq(low, rax);
      load_index(rax, first_position + 2 * pair + 1, k);
      vpinsrq(low, low, rax, 1);
      if (pair == 0) continue;
      if (is_avx512()) {
        vinserti64x2(Zmm(dst.getIdx()), Zmm(dst.getIdx()), low, static_cast<uint8_t>(pair));
      } else {
        vinserti128(Ymm(dst.getIdx()), Ymm(dst.getIdx()), low, static_cast<uint8_t>(pair));
      }
    }
    return;
  }
  const Xmm lanes = vector(tuple_offsets);
  const Xmm narrow_dst = half_vector(dst.getIdx());
  if (is_avx512()) {
    kxnorw(all, all, all);
    if (index_size() == 8) {
      vpgatherqq(Zmm(dst.getIdx()) | all, ptr[idx_ + lanes + displacement]);
    } else {
      vpgatherqd(Ymm(dst.getIdx()) | all, ptr[idx_ + lanes + displacement]);
    }
  } else {
    vpcmpeqd(Ymm(gather_mask), Ymm(gather_mask), Ymm(gather_mask));
    if (index_size() == 8) {
      vpgatherqq(Ymm(dst.getIdx()), ptr[idx_ + lanes + displacement], Ymm(gather_mask));
    } else {
      vpgatherqd(Xmm(dst.getIdx()), ptr[idx_ + lanes + displacement], Xmm(gather_mask));
    }
  }
  if (key_.index_type == IndexType::i32) vpmovsxdq(dst, narrow_dst);
  if (key_.index_type == IndexType::u32) vpmovzxdq(dst, narrow_dst);
}

// A negative index becomes index + extent; what is then outside [0, extent) is noted. Values of u64 above the signed range look
// negative here and are noted as well: the careful block decides about them.
void HardwareBody::check_and_wrap(const Xmm& value, int k, bool first_check) {
  const Xmm extent = vector(constant), spare = vector(temporary);
  const bool wraps = index_is_signed(key_.index_type) && key_.negative == Negative::wrap;
  broadcast(extent, coord_extent(k));
  if (is_avx512()) {
    const Opmask& fresh = first_check ? bad : scratch;
    if (wraps) {
      if (narrow()) {
        vpmovd2m(scratch, value);
        vpaddd(Zmm(value.getIdx()) | scratch, value, extent);
      } else {
        vpmovq2m(scratch, value);
        vpaddq(Zmm(value.getIdx()) | scratch, value, extent);
      }
    }
    constexpr uint8_t not_below = 5;
    narrow() ? vpcmpud(fresh, value, extent, not_below) : vpcmpuq(fresh, value, extent, not_below);
    if (!first_check) korw(bad, bad, scratch);
    return;
  }
  if (wraps) {
    narrow() ? vpcmpgtd(spare, vector(zero), value) : vpcmpgtq(spare, vector(zero), value);
    vpand(spare, spare, extent);
    narrow() ? vpaddd(value, value, spare) : vpaddq(value, value, spare);
  }
  narrow() ? vpcmpgtd(spare, extent, value) : vpcmpgtq(spare, extent, value);
  vpandn(spare, value, spare);
  if (first_check) {
    vmovdqa(vector(in_bounds), spare);
  } else {
    vpand(vector(in_bounds), vector(in_bounds), spare);
  }
}

void HardwareBody::fast_block(int /*positions*/, const Label& careful) {
  const bool unit_coord = key_.unit_coord != 0;
  bool first_check = true;
  for (int number = 0; number < 2; ++number) {
    const Xmm sum = vector(offsets + number);
    for (int k = 0; k < key_.coord_count; ++k) {
      const bool last = k == key_.coord_count - 1;
      const Xmm value = k == 0 ? sum : vector(index);
      load_lanes(value, number * group(), k);
      check_and_wrap(value, k, first_check);
      first_check = false;
      if (!(last && unit_coord)) {
        broadcast(vector(constant), coord_stride(k));
        vpmuldq(value, value, vector(constant));
      } else if (k > 0) {
        vpsllq(value, value, element_bytes() == 4 ? 2 : 3);
      }
      if (k > 0) vpaddq(sum, sum, value);
    }
  }
  // Only now is every lane known to be inside.
  if (is_avx512()) {
    kortestw(bad, bad);
    jnz(careful, T_NEAR);
  } else if (narrow()) {
    vmovmskps(eax, Ymm(in_bounds));
    cmp(eax, 0xff);
    jne(careful, T_NEAR);
  } else {
    vmovmskpd(eax, Ymm(in_bounds));
    cmp(eax, 0xf);
    jne(careful, T_NEAR);
  }
  if (is_step()) mov(temp_, src_);
  for (int number = 0; number < 2; ++number) gather_group(number);
}

void HardwareBody::gather_group(int number) {
  const bool scaled = key_.coord_count == 1 && key_.unit_coord != 0;  // the offsets still count elements
  const bool moves = key_.lanes == Lanes::unit || is_step();
  const Xmm sum = vector(offsets + number);
  if (moves) {
    if (scaled) vpsllq(sum, sum, element_bytes() == 4 ? 2 : 3);
    vpaddq(sum, sum, vector(column_offsets));
  }
  const int scale = scaled && !moves ? element_bytes() : 1;
  const int displacement = key_.lanes == Lanes::unit ? number * group() * element_bytes() : 0;
  const Reg64& base = is_step() ? temp_ : src_;
  const Address source = ptr[base + sum * scale + displacement];
  const Xmm full = vector(gathered), half = half_vector(gathered);
  const bool wide_result = narrow() || element_bytes() == 8;
  if (is_avx512()) {
    vpxord(full, full, full);  // the old value is an input of the gather
    kxnorw(all, all, all);
    if (narrow()) {
      vpgatherdd(Zmm(gathered) | all, source);
    } else if (element_bytes() == 8) {
      vpgatherqq(Zmm(gathered) | all, source);
    } else {
      vpgatherqd(Ymm(gathered) | all, source);
    }
  } else {
    vpxor(full, full, full);
    vpcmpeqd(Ymm(gather_mask), Ymm(gather_mask), Ymm(gather_mask));
    if (narrow()) {
      vpgatherdd(Ymm(gathered), source, Ymm(gather_mask));
    } else if (element_bytes() == 8) {
      vpgatherqq(Ymm(gathered), source, Ymm(gather_mask));
    } else {
      vpgatherqd(Xmm(gathered), source, Xmm(gather_mask));
    }
  }
  vmovups(ptr[dst_ + number * group() * element_bytes()], wide_result ? full : half);
  if (is_step()) {
    for (int l = 0; l < group(); l += 8) lea(temp_, ptr[temp_ + column_step_ * (group() < 8 ? group() : 8)]);
  }
}

}  // namespace garner::jit
