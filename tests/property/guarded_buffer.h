// SPDX-License-Identifier: Apache-2.0
// Memory between two pages that no access survives: whoever reads or writes one byte too many dies of it at once, also
// in emitted code, which no sanitizer sees.
#pragma once

#include <cstddef>

namespace garner_test {

enum class Edge { low, high };

class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t capacity);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  // A block of `bytes` that starts `gap` bytes after the lower guard page, or ends `gap` bytes before the upper one.
  // Makes the memory writable and marks the bytes around the block; the block itself keeps what was there before.
  std::byte* place(size_t bytes, Edge edge, size_t gap = 0);
  // From now on a write to the block faults, until the next place().
  void make_read_only();
  // Whether the bytes around the block are as place() left them.
  bool surroundings_intact() const;

  std::byte* data() const { return block_; }
  size_t size() const { return bytes_; }
  size_t capacity() const { return capacity_; }

 private:
  // How far around the block stray writes are looked for on the side that no guard page covers.
  static constexpr size_t margin = 512;
  static constexpr unsigned char mark = 0xC3;

  std::byte* below() const;
  std::byte* above() const;

  size_t capacity_;
  std::byte* mapping_;
  std::byte* usable_;
  std::byte* block_;
  size_t bytes_ = 0;
  bool writable_ = true;
};

}  // namespace garner_test
