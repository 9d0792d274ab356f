// SPDX-License-Identifier: Apache-2.0
#include "tests/property/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace garner_test {
namespace {

size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

bool filled_with(const std::byte* first, const std::byte* last, unsigned char value) {
  return std::all_of(first, last, [value](std::byte b) { return b == std::byte{value}; });
}

}  // namespace

GuardedBuffer::GuardedBuffer(size_t capacity) {
  const size_t page = page_bytes();
  capacity_ = (std::max<size_t>(capacity, 1) + page - 1) / page * page;
  void* mapping = mmap(nullptr, capacity_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  usable_ = mapping_ + page;
  block_ = usable_;
  if (mprotect(usable_, capacity_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

GuardedBuffer::~GuardedBuffer() { munmap(mapping_, capacity_ + 2 * page_bytes()); }

std::byte* GuardedBuffer::below() const { return block_ - std::min(margin, static_cast<size_t>(block_ - usable_)); }

std::byte* GuardedBuffer::above() const {
  std::byte* const end = block_ + bytes_;
  return end + std::min(margin, static_cast<size_t>(usable_ + capacity_ - end));
}

std::byte* GuardedBuffer::place(size_t bytes, Edge edge, size_t gap) {
  if (bytes + gap > capacity_) throw std::length_error("GuardedBuffer: block larger than its capacity");
  if (!writable_) {
    if (mprotect(usable_, capacity_, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("GuardedBuffer: mprotect");
    writable_ = true;
  }
  bytes_ = bytes;
  block_ = edge == Edge::low ? usable_ + gap : usable_ + capacity_ - gap - bytes;
  std::byte* const end = block_ + bytes_;
  std::memset(below(), mark, static_cast<size_t>(block_ - below()));
  std::memset(end, mark, static_cast<size_t>(above() - end));
  return block_;
}

void GuardedBuffer::make_read_only() {
  if (mprotect(usable_, capacity_, PROT_READ) != 0) throw std::runtime_error("GuardedBuffer: mprotect");
  writable_ = false;
}

bool GuardedBuffer::surroundings_intact() const {
  return filled_with(below(), block_, mark) && filled_with(block_ + bytes_, above(), mark);
}

}  // namespace garner_test
