// SPDX-License-Identifier: Apache-2.0
#include "src/text.h"

namespace garner {

TextWriter::TextWriter(char* text, size_t capacity) : text_(text), capacity_(capacity) {
  if (capacity_ > 0) text_[0] = '\0';
}

TextWriter& TextWriter::operator<<(char character) {
  if (length_ + 1 < capacity_) {
    text_[length_] = character;
    text_[length_ + 1] = '\0';
  }
  ++length_;
  return *this;
}

TextWriter& TextWriter::operator<<(const char* text) {
  while (*text != '\0') *this << *text++;
  return *this;
}

TextWriter& TextWriter::operator<<(uint64_t value) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0) *this << digits[--count];
  return *this;
}

TextWriter& TextWriter::operator<<(int64_t value) {
  if (value >= 0) return *this << static_cast<uint64_t>(value);
  // Negated as unsigned, since INT64_MIN has no positive counterpart.
  return *this << '-' << (uint64_t{0} - static_cast<uint64_t>(value));
}

TextWriter& TextWriter::list(const Extents& extents, char separator) {
  for (int32_t i = 0; i < extents.count; ++i) {
    if (i > 0) *this << separator;
    *this << extents.values[i];
  }
  return *this;
}

TextWriter& TextWriter::operator<<(const Extents& extents) { return (*this << '[').list(extents, ',') << ']'; }

}  // namespace garner
