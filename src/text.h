// SPDX-License-Identifier: Apache-2.0
// Writes text into a buffer of fixed size, without stdio, locale or allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace garner {

// A list of extents or strides, written `[2,3]`.
struct Extents {
  const int64_t* values;
  int32_t count;
};

// Cuts what does not fit and still counts it. The buffer is NUL-terminated after every operation unless its
// capacity is 0.
class TextWriter {
 public:
  TextWriter(char* text, size_t capacity);

  TextWriter& operator<<(const char* text);
  TextWriter& operator<<(char character);
  TextWriter& operator<<(int32_t value) { return *this << static_cast<int64_t>(value); }
  TextWriter& operator<<(int64_t value);
  TextWriter& operator<<(uint64_t value);
  TextWriter& operator<<(const Extents& extents);

  // Values with `separator` between them.
  TextWriter& list(const Extents& extents, char separator);

  // Bytes that the whole text takes, the NUL included.
  size_t needed() const { return length_ + 1; }

 private:
  char* text_;
  size_t capacity_;
  size_t length_ = 0;
};

}  // namespace garner
