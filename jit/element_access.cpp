// SPDX-License-Identifier: Apache-2.0
// One position: its index tuple, the checks, the address, the lane it lands in.
#include "jit/generator.h"
#include "jit/kernel_list.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

// The first coordinates' constants sit in registers, those of deeper tuples stay in KernelArgs (always in the L1 cache).
bool KernelGenerator::extent_in_register(int k, Reg64& reg) const {
  if (k > 2) return false;
  reg = k == 0 ? r9 : k == 1 ? r10 : r13;
  return true;
}

bool KernelGenerator::stride_in_register(int k, Reg64& reg) const {
  if (k > 1) return false;
  reg = k == 0 ? r11 : r12;
  return true;
}

void KernelGenerator::compare_with_extent(const Reg64& value, int k) {
  Reg64 extent;
  if (extent_in_register(k, extent)) {
    cmp(value, extent);
  } else {
    cmp(value, coord_extent(k));
  }
}

void KernelGenerator::multiply_by_stride(const Reg64& value, int k) {
  Reg64 stride;
  if (stride_in_register(k, stride)) {
    imul(value, stride);
  } else {
    imul(value, coord_stride(k));
  }
}

void KernelGenerator::load_index(const Reg64& dst, int l, int k) {
  RegExp address = idx_ + (l * tuple_bytes() + k * index_size());
  if (key_.lanes == Lanes::strided && k > 0) {
    mov(dst, field(coord_field(k, offsetof(Coord, index_stride))));
    address = idx_ + dst;
  }
  switch (key_.index_type) {
    case IndexType::i8: movsx(dst, byte[address]); break;
    case IndexType::u8: movzx(dst.cvt32(), byte[address]); break;
    case IndexType::i16: movsx(dst, word[address]); break;
    case IndexType::u16: movzx(dst.cvt32(), word[address]); break;
    case IndexType::i32: movsxd(dst, dword[address]); break;
    case IndexType::u32: mov(dst.cvt32(), dword[address]); break;
    case IndexType::i64:
    case IndexType::u64: mov(dst, qword[address]); break;
  }
}

// value: an index as read -> an index in [0, extent), without branches except the exit. Uses temp_ and seen_.
// A negative index plus its extent cannot overflow: the extent is not negative.
void KernelGenerator::resolve_careful(const Reg64& value, int k, const Label& exit) {
  const bool is_signed = index_is_signed(key_.index_type);
  Reg64 extent;
  const bool in_register = extent_in_register(k, extent);
  if (is_signed) {
    if (tracks_sign()) or_(seen_, value);
    if (key_.negative == Negative::wrap) {
      if (in_register) {
        lea(temp_, ptr[value + extent]);
      } else {
        mov(temp_, coord_extent(k));
        add(temp_, value);
      }
      test(value, value);
      cmovs(value, temp_);
    }
  }
  switch (key_.bounds) {
    case Bounds::error:
      compare_with_extent(value, k);
      jae(exit, T_NEAR);
      break;
    case Bounds::clamp:
      if (is_signed) {
        xor_(temp_.cvt32(), temp_.cvt32());
        test(value, value);
        cmovs(value, temp_);
      }
      if (in_register) {
        lea(temp_, ptr[extent - 1]);
      } else {
        mov(temp_, coord_extent(k));
        dec(temp_);
      }
      cmp(value, temp_);
      cmova(value, temp_);
      break;
    case Bounds::zero:
      if (!zero_needs_mask()) break;  // element_address compares beside the address
      compare_with_extent(value, k);
      sbb(temp_, temp_);  // all ones when in bounds
      and_(seen_, temp_);
      and_(value, temp_);  // keeps the product small; the address is not used when the mask is zero
      break;
  }
}

RegExp KernelGenerator::element_address(int l, Place place, Access access, const Label& exit) {
  const bool single_coord = key_.coord_count == 1;
  const bool unit_coord = key_.unit_coord != 0;
  const bool careful_zero = access == Access::careful && key_.bounds == Bounds::zero;
  if (careful_zero && zero_needs_mask()) mov(seen_, -1);

  for (int k = 0; k < key_.coord_count; ++k) {
    const bool last = k == key_.coord_count - 1;
    const Reg64& value = k == 0 && !single_coord ? address_ : value_;
    load_index(value, l, k);
    if (access == Access::fast) {
      compare_with_extent(value, k);
      jae(exit, T_NEAR);
    } else {
      resolve_careful(value, k, exit);
    }
    if (!(last && unit_coord)) {
      multiply_by_stride(value, k);
      if (k > 0) add(address_, value);
    } else if (element_bytes() == 16) {
      shl(value, 4);  // no addressing mode scales by 16
    }
  }

  // What the tuple adds so far: address_ (deeper tuples) and value_ * scale (the only or a unit coordinate).
  const int scale = unit_coord && element_bytes() < 16 ? element_bytes() : 1;
  RegExp result;
  if (is_folded() && place == Place::block) {
    const Address base = fold_base(l);
    if (!single_coord) {
      add(address_, base);
      result = unit_coord ? address_ + value_ * scale : RegExp(address_);
    } else {
      mov(address_, base);
      result = address_ + value_ * scale;
    }
  } else {
    // Single positions keep src_ current in every form; fast blocks of the step form run ahead of it in temp_.
    const Reg64& base = is_step() && place == Place::block && access == Access::fast ? temp_ : src_;
    const int displacement = key_.lanes == Lanes::unit ? l * element_bytes() : 0;
    if (single_coord) {
      result = base + value_ * scale + displacement;
    } else if (unit_coord) {
      add(address_, base);
      result = address_ + value_ * scale + displacement;
    } else {
      result = base + address_ + displacement;
    }
  }
  if (careful_zero) {
    lea(temp_, ptr[result]);
    if (zero_needs_mask()) {
      test(seen_, seen_);
      cmovz(temp_, field(offsetof(KernelArgs, zeros)));
    } else {
      compare_with_extent(value_, 0);
      cmovae(temp_, field(offsetof(KernelArgs, zeros)));
    }
    result = RegExp(temp_);
  }
  return result;
}

void KernelGenerator::insert_lane(int vector, int lane, const RegExp& address) {
  const Xmm x(vector);
  switch (element_bytes()) {
    case 1:
      if (lane == 0) {
        movzx(eax, byte[address]);
        vmovd(x, eax);
      } else {
        vpinsrb(x, x, byte[address], static_cast<uint8_t>(lane));
      }
      break;
    case 2:
      if (lane == 0) {
        movzx(eax, word[address]);
        vmovd(x, eax);
      } else {
        vpinsrw(x, x, word[address], static_cast<uint8_t>(lane));
      }
      break;
    case 4:
      if (lane == 0) {
        vmovd(x, dword[address]);
      } else {
        vpinsrd(x, x, dword[address], static_cast<uint8_t>(lane));
      }
      break;
    case 8:
      if (lane == 0) {
        vmovq(x, qword[address]);
      } else {
        vmovhps(x, x, qword[address]);
      }
      break;
    default: vmovdqu(x, ptr[address]);
  }
}

void KernelGenerator::assemble_block(int n, Access access, const Label& exit, int first_vector) {
  const int lanes = is_slices() ? 0 : 16 / element_bytes();
  const int slice_vectors = is_slices() ? slice_pieces(key_.isa, element_bytes()).count : 0;
  if (is_step() && access == Access::fast) mov(temp_, src_);
  for (int l = 0; l < n; ++l) {
    const RegExp address = element_address(l, Place::block, access, exit);
    if (is_slices()) {
      load_slice(first_vector + l * slice_vectors, address);
    } else {
      insert_lane(first_vector + l / lanes, l % lanes, address);
    }
    // In step form the base runs along with the positions: a copy of it in fast blocks, which may have to be redone.
    if (is_step()) add(access == Access::fast ? temp_ : src_, column_step_);
  }
  if (is_slices()) {
    for (int l = 0; l < n; ++l) store_slice(first_vector + l * slice_vectors, l * element_bytes());
    return;
  }
  store_vectors(first_vector, n * element_bytes());
}

void KernelGenerator::store_vectors(int first_vector, int bytes) {
  for (int stored = 0; stored < bytes; stored += 16) {
    const Xmm x(first_vector + stored / 16);
    if (bytes - stored >= 16) {
      vmovdqu(ptr[dst_ + stored], x);
    } else if (bytes - stored == 8) {
      vmovq(qword[dst_ + stored], x);
    } else {
      vmovd(dword[dst_ + stored], x);
    }
  }
}

}  // namespace garner::jit
