// SPDX-License-Identifier: Apache-2.0
// Body::table: the addressed table is small enough to sit in vector registers, or on the stack beside them, and an index is the
// operand of a permute. Lanes::flat, one unit coordinate. The table is reloaded for each row, so a last-axis GatherElements with short
// rows qualifies as well.
//
// In Lanes::unit each column has a table of its own, one element from each of a few rows of data: GatherElements on a short axis that
// is not the last. The rows are loaded side by side, and the index chooses among them in each lane.
//
// table_avx2.cpp, table_planes_avx2.cpp and table_avx512.cpp hold the ways of narrowing indices and of looking up.
#pragma once

#include "jit/generator.h"
#include "jit/kernel_list.h"

namespace garner::jit {

class TableBody final : public KernelGenerator {
 public:
  TableBody(const KernelKey& key, void* buffer, size_t capacity);

 private:
  void prepare_call() override;
  void prepare_row(const Xbyak::Label& skip_blocks) override;
  void fast_block(int positions, const Xbyak::Label& careful) override;
  int half_block() const override { return has_half_block() ? block_ / 2 : 0; }
  void emit_constants() override;

  int stack_bytes() const override {
    if (has_column_tables()) return 8 * registers();
    return 16 * planes() * registers();
  }

  bool has_column_tables() const { return key_.lanes == Lanes::unit; }
  // Dwords with AVX2: two vectors to a block, and single ones for what is left of a row.
  bool has_half_block() const { return !is_avx512() && planes() == 0 && !has_column_tables(); }
  bool is_avx512() const { return key_.isa == Isa::avx512; }
  int registers() const { return key_.table_registers; }
  int planes() const { return key_.byte_planes; }
  int lanes() const { return table_lanes(key_); }

  // Column tables: where each row begins, from the data base on. Rows that do not exist repeat the last one.
  void prepare_rows();
  Xbyak::RegExp row_of_columns(int row, int first_position);
  int row_offset_slot(int row) const { return frame_header + 8 * row; }

  // table_avx512.cpp
  void prepare_call_avx512();
  void load_table_avx512();
  void fast_block_avx512(const Xbyak::Label& careful);
  int index_work_bytes_avx512() const;
  void load_indices_avx512(int vector, int first_position, bool first_check);
  void narrow_avx512(int vector);
  void merge_avx512(int first, int count, int piece_bytes);
  void look_up_avx512(int vector);
  void choose_rows_avx512(int vector);

  // The first vector register of a table: to 11 for planes, else to 7; none for tables on the stack.
  static constexpr int table = 4;
  // The others of the AVX2 forms; 0 and 1 hold indices. Careful blocks change 0 to 3, those of dwords by planes 0 to 7.
  static constexpr int masks = 8;        // to 11: which lanes of the dword table registers exist
  static constexpr int low_bits = 9;     // tables on the stack of more than 128 entries: the index within a piece
  static constexpr int last_index = 15;  // extent - 1 in every lane
  // Free for partial results of a lookup, in the order in which they are taken. The last two serve tables on the stack only.
  static constexpr int partial[] = {2, 3, 12, 13, 10, 11};
  // Index bits that tell halves, quarters ... of the table apart, each in the sign of its lane, lowest first. The third serves tables
  // of 16 pieces, which are on the stack.
  static constexpr int select_bits[] = {14, 1, 8};
  static constexpr int select_bits_of_columns[] = {14, 10};

  // table_avx2.cpp
  void prepare_call_avx2();
  void load_dwords_avx2();
  void fast_block_dwords(int positions, const Xbyak::Label& careful);
  void load_dword_indices(int vector, int first_position);
  int select_register(int level) const;
  void select_bit(const Xbyak::Ymm& select, const Xbyak::Ymm& index, int level);
  void select_all_bits(const Xbyak::Ymm& index);
  void look_up_avx2(const Xbyak::Ymm& index, int first_position);
  void combine(const Xbyak::Ymm& index, int first_position, int first, int first_register, int count);

  // table_planes_avx2.cpp
  bool planes_on_stack() const;
  void load_planes_avx2();
  void load_piece_of_planes(const Xbyak::Reg64& at);
  Xbyak::RegExp plane_slot(int plane) const;
  void fast_block_planes(const Xbyak::Label& careful);
  void load_byte_indices(const Xbyak::Ymm& index, const Xbyak::Ymm& seen, const Xbyak::Label& careful);
  void order_byte_indices(const Xbyak::Ymm& index);
  void look_up_bytes(const Xbyak::Ymm& result, const Xbyak::Ymm& index, int table_register);
  void interleave_planes();
  void emit_plane_constants();

  Xbyak::Label row_numbers_, lane_numbers_, piece_bits_, not_a_byte_, by_planes_, order_before_, order_after_;
};

}  // namespace garner::jit
