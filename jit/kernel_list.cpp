// SPDX-License-Identifier: Apache-2.0
#include "jit/kernel_list.h"

#include <algorithm>
#include <bit>

namespace garner::jit {
namespace {

// A new kernel is one generator and one line here.
constexpr ListedKernel kernels[] = {
    {Body::loads, Isa::avx2, 1, 1},
    {Body::loads, Isa::avx2, 2, 2},
    {Body::loads, Isa::avx2, 4, 4},
    {Body::loads, Isa::avx2, 8, 8},
    {Body::loads, Isa::avx2, 16, 16},
    {Body::hardware, Isa::avx2, 4, 4},
    {Body::hardware, Isa::avx2, 8, 8},
    {Body::table, Isa::avx2, 1, 1},
    {Body::table, Isa::avx2, 2, 2},
    {Body::table, Isa::avx2, 4, 4},
    {Body::slices, Isa::avx2, least_slice_bytes, most_slice_bytes},
    {Body::loads, Isa::avx512, 1, 1},
    {Body::loads, Isa::avx512, 2, 2},
    {Body::loads, Isa::avx512, 4, 4},
    {Body::loads, Isa::avx512, 8, 8},
    {Body::loads, Isa::avx512, 16, 16},
    {Body::hardware, Isa::avx512, 4, 4},
    {Body::hardware, Isa::avx512, 8, 8},
    {Body::table, Isa::avx512, 1, 1},  // AVX-512 VBMI as well
    {Body::table, Isa::avx512, 2, 2},
    {Body::table, Isa::avx512, 4, 4},
    {Body::table, Isa::avx512, 8, 8},
    {Body::slices, Isa::avx512, least_slice_bytes, most_slice_bytes},
};

bool is_listed(const KernelKey& key) {
  return std::ranges::any_of(kernels, [&](const ListedKernel& kernel) {
    return kernel.body == key.body && kernel.isa == key.isa && key.element_bytes >= kernel.least_bytes &&
           key.element_bytes <= kernel.most_bytes;
  });
}

bool hardware_is_valid(const KernelKey& key) {
  if (key.lanes != Lanes::flat && key.lanes != Lanes::unit && key.lanes != Lanes::step) return false;
  if (!key.narrow_address) return true;
  return key.element_bytes == 4 && key.coord_count == 1 && key.unit_coord && key.lanes == Lanes::flat &&
         index_bytes(key.index_type) <= 4;
}

// No address scales by the width of a slice, and rows are not folded: a slice is work enough for a row.
bool slices_is_valid(const KernelKey& key) {
  const bool wide_as_an_element = std::has_single_bit(key.element_bytes) && key.element_bytes <= 16;
  return !wide_as_an_element && key.lanes != Lanes::folded && !key.unit_coord;
}

bool table_is_valid(const KernelKey& key) {
  const int registers = key.table_registers;
  if (key.coord_count != 1 || !std::has_single_bit(key.table_registers)) return false;
  if (key.lanes == Lanes::unit) {
    return has_column_tables(key.isa, key.element_bytes) && registers <= most_table_rows && key.byte_planes == 0;
  }
  // AVX2 compares bytes as they are: beyond 128 elements a negative one would look like an index.
  if (key.isa == Isa::avx2 && key.index_type == IndexType::i8 && registers * table_lanes(key) > 128) return false;
  // So few dwords are looked up whole.
  if (key.byte_planes == 4 && registers == 1) return false;
  return key.lanes == Lanes::flat && key.unit_coord && registers <= table_max_registers(key);
}

}  // namespace

std::span<const ListedKernel> kernel_list() { return kernels; }

int table_lanes(const KernelKey& key) {
  // Byte shuffles work on 16 bytes, which both halves of a register repeat.
  if (key.byte_planes > 0) return 16;
  return (key.isa == Isa::avx512 ? 64 : 32) / key.element_bytes;
}

bool has_column_tables(Isa isa, int element_bytes) {
  return isa == Isa::avx512 ? element_bytes <= 8 : isa == Isa::avx2 && element_bytes == 4;
}

int table_max_registers(const KernelKey& key) {
  if (key.isa == Isa::avx512) return key.byte_planes == 0 && key.element_bytes <= 8 ? 4 : 0;
  // Measured: beyond these the blends cost what the loads save.
  if (key.byte_planes == 0) return key.element_bytes == 4 ? 4 : 0;
  if (key.byte_planes != key.element_bytes) return 0;
  return key.element_bytes == 1 ? 16 : key.element_bytes <= 4 ? 4 : 0;
}

SlicePieces slice_pieces(Isa isa, int slice_bytes) {
  SlicePieces pieces{};
  const auto add = [&pieces](int bytes, int at) {
    pieces.bytes[pieces.count] = bytes;
    pieces.at[pieces.count++] = at;
  };
  if (slice_bytes == 3) {
    add(2, 0);
    add(1, 2);
    return pieces;
  }
  const int widest = isa == Isa::avx512 ? 64 : 32;
  const int piece = std::min(widest, static_cast<int>(std::bit_floor(static_cast<unsigned>(slice_bytes))));
  for (int at = 0; at + piece < slice_bytes; at += piece) add(piece, at);
  add(piece, slice_bytes - piece);
  return pieces;
}

int block_positions(const KernelKey& key) {
  const int vector_bytes = key.isa == Isa::avx512 ? 64 : 32;
  switch (key.body) {
    case Body::table:
      if (key.byte_planes > 0) return vector_bytes;
      return (key.isa == Isa::avx2 ? 2 : 1) * vector_bytes / key.element_bytes;
    case Body::hardware: return 2 * vector_bytes / (key.narrow_address ? 4 : 8);
    case Body::slices: return slice_pieces(key.isa, key.element_bytes).count <= 4 ? 4 : 2;  // of 16 vector registers
    case Body::loads: break;
  }
  // Long enough to hide the loop, short enough that the code of deep tuples stays small.
  if (key.element_bytes == 16) return 4;
  if (key.element_bytes == 8 || key.lanes == Lanes::folded || key.coord_count > 4) return 8;
  return 16;
}

bool key_is_valid(const KernelKey& key) {
  if (!is_listed(key) || key.coord_count < 1 || key.coord_count > max_rank) return false;
  if (key.body == Body::slices && !slices_is_valid(key)) return false;
  if (key.body == Body::hardware && !hardware_is_valid(key)) return false;
  if (key.body != Body::hardware && key.narrow_address) return false;
  if (key.body == Body::table ? !table_is_valid(key) : key.table_registers != 0 || key.byte_planes != 0) return false;
  if (key.far && (key.body != Body::loads || key.detect_rows || (key.lanes != Lanes::flat && key.lanes != Lanes::unit)))
    return false;
  if (!key.detect_rows) return true;
  // Shorter blocks of indices than a vector would be compared past their end.
  return key.body == Body::loads && key.lanes == Lanes::unit && key.coord_count == 1 &&
         block_positions(key) * index_bytes(key.index_type) >= 16;
}

}  // namespace garner::jit
