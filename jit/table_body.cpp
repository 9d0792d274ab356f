// SPDX-License-Identifier: Apache-2.0
#include "jit/table_body.h"

namespace garner::jit {

using namespace Xbyak;
using namespace Xbyak::util;

TableBody::TableBody(const KernelKey& key, void* buffer, size_t capacity)
    : KernelGenerator(key, buffer, capacity, block_positions(key)) {}

void TableBody::prepare_call() {
  if (has_column_tables()) prepare_rows();
  is_avx512() ? prepare_call_avx512() : prepare_call_avx2();
}

void TableBody::prepare_rows() {
  xor_(ebx, ebx);  // offset of the row
  for (int row = 0; row < registers(); ++row) {
    mov(ptr[rsp + row_offset_slot(row)], rbx);
    lea(rax, ptr[rbx + r11]);  // the stride of the only coordinate
    cmp(r9, row + 1);          // its extent
    cmovg(rbx, rax);
  }
}

// Uses rax.
RegExp TableBody::row_of_columns(int row, int first_position) {
  mov(rax, ptr[rsp + row_offset_slot(row)]);
  return src_ + rax + first_position * element_bytes();
}

void TableBody::prepare_row(const Label& skip_blocks) {
  cmp(row_left_, has_half_block() ? half_block() : block_);
  jb(skip_blocks, T_NEAR);
  // An empty table has no last index to compare with, and nothing that may be read.
  test(r9, r9);
  jz(skip_blocks, T_NEAR);
  if (has_column_tables()) return;
  if (is_avx512()) {
    load_table_avx512();
  } else {
    planes() > 0 ? load_planes_avx2() : load_dwords_avx2();
  }
}

void TableBody::fast_block(int positions, const Label& careful) {
  if (is_avx512()) {
    fast_block_avx512(careful);
  } else if (planes() > 0) {
    fast_block_planes(careful);
  } else {
    fast_block_dwords(positions, careful);
  }
}

void TableBody::emit_constants() {
  align(32);
  L(row_numbers_);  // as quadwords, of which narrower ones are the beginning
  for (uint64_t row = 0; row < 8; ++row) dq(row);
  L(lane_numbers_);  // lane numbers of all table registers, as dwords
  for (uint32_t lane = 0; lane < 64; ++lane) dd(lane);
  if (planes() > 0) emit_plane_constants();
}

}  // namespace garner::jit
