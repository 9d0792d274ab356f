// SPDX-License-Identifier: Apache-2.0
// The frame shared by all kernel bodies: registers, row loop, checked element access, tails, the way out.
//
// A kernel walks rows of positions. In a row it runs whole blocks of the body's own kind, then half or small blocks, then
// single positions. Each block exists twice: the fast one assumes that every index lies in [0, extent) and leaves, before it has
// stored anything, when one does not; the careful one wraps negative indices and applies the bounds policy without branches,
// and under Bounds::error leaves the kernel when an index is truly bad. After a careful block that met a negative index the next
// block is careful too: where negatives are common, trying in vain costs more than wrapping.
//
// Every index is loaded into a register once; what was checked there is what forms the address.
#pragma once

#define XBYAK_NO_EXCEPTION
// All of Xbyak is inline. A host that links the static library may use an Xbyak of another version or with other options, and
// the linker would merge functions of equal names: so it gets a name of ours.
#define Xbyak garner_xbyak
#include <xbyak/xbyak.h>

#include <cstddef>

#include "jit/kernel_key.h"
#include "runtime/kernel.h"

namespace garner::jit {

// An index outside its axis, when the policy is error, leaves through here; otherwise it stays in a block.
enum class Access : uint8_t {
  fast,     // jumps to the exit unless 0 <= index < extent
  careful,  // wraps, then applies the policy; jumps to the exit only under Bounds::error
};

// The frame begins with remaining() and the caller's rsp; what follows is aligned like a cache line.
inline constexpr int frame_alignment = 64;
inline constexpr int frame_header = 64;

enum class Place : uint8_t { block, single };

class KernelGenerator : public Xbyak::CodeGenerator {
 public:
  KernelGenerator(const KernelKey& key, void* buffer, size_t capacity, int block_positions);
  virtual ~KernelGenerator() = default;

  // Emits the whole kernel. Errors are read from Xbyak afterwards.
  void emit();

 protected:
  // Reads the indices of the next `positions` positions (block_ or half_block() of them), checks them, and stores their
  // output. Jumps to `careful` before the first store when an index is not in [0, extent). May change the temporaries only; in
  // Lanes::step leaves the new data base in temp_.
  virtual void fast_block(int positions, const Xbyak::Label& careful) = 0;
  // A smaller block that the body can do as well, for rows and ends of rows that do not hold a whole one; 0: none.
  virtual int half_block() const { return 0; }
  // Constants and tables in registers; called once, after the arguments are loaded and before any row.
  virtual void prepare_call() {}
  // Called at the start of each row; jumps to `skip_blocks` when this row is to be done without the body's blocks.
  virtual void prepare_row(const Xbyak::Label& /*skip_blocks*/) {}
  // What runs instead of a whole fast_block when a cheap test says so (see loads_body). Nothing by default.
  virtual void block_alternative() {}
  virtual void emit_alternative() {}  // out of line; ends with a jump to block_done_
  // Longer blocks, before the whole ones of a row, and what decides after each whole one whether to try them again.
  virtual void far_blocks() {}
  virtual void retry_far_blocks() {}
  // Stack bytes of the body's own, from rsp + frame_header on; not together with Lanes::folded.
  virtual int stack_bytes() const { return 0; }
  // Constants behind the code, addressed relative to rip.
  virtual void emit_constants() {}

  int element_bytes() const { return key_.element_bytes; }
  int index_size() const { return index_bytes(key_.index_type); }
  int tuple_bytes() const { return index_size() * key_.coord_count; }
  bool is_step() const { return key_.lanes == Lanes::step; }
  bool is_slices() const { return key_.body == Body::slices; }
  bool is_folded() const { return key_.lanes == Lanes::folded; }

  // Addresses of KernelArgs fields.
  Xbyak::Address field(size_t offset) const { return ptr[args_ + static_cast<int>(offset)]; }
  Xbyak::Address coord_extent(int k) const { return field(coord_field(k, offsetof(Coord, extent))); }
  Xbyak::Address coord_stride(int k) const { return field(coord_field(k, offsetof(Coord, data_stride))); }
  static size_t coord_field(int k, size_t member) {
    return offsetof(KernelArgs, coords) + static_cast<size_t>(k) * sizeof(Coord) + member;
  }

  // Loads coordinate k of the l-th position from the current one into a 64-bit register, sign- or zero-extended.
  void load_index(const Xbyak::Reg64& dst, int l, int k);
  // The checked data address of that position. `exit`: see Access. Uses the temporaries.
  Xbyak::RegExp element_address(int l, Place place, Access access, const Xbyak::Label& exit);
  // Puts the element at an address into a lane of 16 bytes, and stores the first `bytes` of such vectors.
  void insert_lane(int vector, int lane, const Xbyak::RegExp& address);
  void store_vectors(int first_vector, int bytes);
  // A block of n positions by scalar loads assembled in 16-byte vectors; registers xmm `first_vector`...
  void assemble_block(int n, Access access, const Xbyak::Label& exit, int first_vector);
  // What a position copies as a whole, in neighbouring vector registers, and from there to `at` bytes behind dst_
  // (slices_body.cpp). Body::slices, and elements wider than a general register.
  void load_slice(int first_vector, const Xbyak::RegExp& address);
  void store_slice(int first_vector, int at);
  // Pointers and counters past n positions; `access` tells what the block left in the step registers.
  void advance(int n, Access access);
  // Leaves with all callee-saved registers restored; rax holds the result.
  void leave();

  const KernelKey key_;
  const int block_;
  Xbyak::Label block_done_;

  // General registers. rsp points at the frame.
  const Xbyak::Reg64 args_ = Xbyak::util::rdi;
  const Xbyak::Reg64 src_ = Xbyak::util::rsi;          // data base of the next position
  const Xbyak::Reg64 idx_ = Xbyak::util::rdx;          // its index tuple
  const Xbyak::Reg64 dst_ = Xbyak::util::rcx;          // its output
  const Xbyak::Reg64 row_left_ = Xbyak::util::r8;      // positions left in this row
  const Xbyak::Reg64 value_ = Xbyak::util::rax;        // temporary: one index
  const Xbyak::Reg64 address_ = Xbyak::util::rbx;      // temporary: address under construction
  const Xbyak::Reg64 temp_ = Xbyak::util::rbp;         // temporary; the running data base of fast blocks in Lanes::step
  const Xbyak::Reg64 seen_ = Xbyak::util::r14;         // careful blocks: sign of all indices met, or the in-bounds mask
  const Xbyak::Reg64 column_step_ = Xbyak::util::r15;  // Lanes::step: data bytes from one column to the next
  const Xbyak::Reg64 columns_left_ = Xbyak::util::r15;  // Lanes::folded, single positions: columns left in the row
                                                        // The other forms keep remaining() in r15.

 private:
  bool extent_in_register(int k, Xbyak::Reg64& reg) const;
  bool stride_in_register(int k, Xbyak::Reg64& reg) const;
  void compare_with_extent(const Xbyak::Reg64& value, int k);
  void multiply_by_stride(const Xbyak::Reg64& value, int k);
  void resolve_careful(const Xbyak::Reg64& value, int k, const Xbyak::Label& exit);

  void load_arguments();
  void row_loop();
  void short_rows(int n);
  void block_loop(int n);
  void single_positions();
  void careful_single_position();
  void single_position(Access access, const Xbyak::Label& exit);
  // Held in a register where one is free: read and written for each row, it would be a chain through memory.
  bool remaining_in_register() const { return !is_step() && !is_folded(); }
  const Xbyak::Operand& remaining() const;
  void careful_loop(int n, const Xbyak::Label& again, const Xbyak::Label& done);

  // Whether careful accesses collect the signs of the indices in seen_ ...
  bool tracks_sign() const {
    return index_is_signed(key_.index_type) && !(key_.bounds == Bounds::zero && zero_needs_mask());
  }
  // ... or, under Bounds::zero, whether all coordinates were in bounds. One coordinate of unit stride needs no mask: it is
  // compared when the address is there.
  bool zero_needs_mask() const { return key_.coord_count > 1 || !key_.unit_coord || key_.element_bytes == 16; }

  // Without a sign to go by, careful blocks come in runs, a few after each block that the fast one gave up.
  bool counts_careful() const { return !tracks_sign() && key_.bounds != Bounds::error; }

  // folded_lanes.cpp
  Xbyak::Address fold_base(int l) const;
  void fold_start();
  void fold_advance();
  void fold_finish();
  void fold_carry_single();
  int fold_bytes() const;
  int frame_bytes() const { return frame_header + fold_bytes() + stack_bytes() + frame_alignment; }

  struct CarefulBlock {
    int positions;
    Xbyak::Label entry, fast, after;
  };
  CarefulBlock careful_blocks_[3];
  int careful_count_ = 0;
  Xbyak::Label failed_;
  Xbyak::Label row_done_;
  Xbyak::Label single_, careful_single_;
  const Xbyak::Address remaining_slot_ = Xbyak::util::qword[Xbyak::util::rsp];
  Xbyak::Label fold_singles_;
  Xbyak::Label return_;
};

}  // namespace garner::jit
