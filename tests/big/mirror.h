// SPDX-License-Identifier: Apache-2.0
// Gigabytes of address space that show the same few megabytes again and again, so that a tensor of billions of elements
// fits into any machine. Pages at chosen places are memory of their own: what is written there can be told from all else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace garner_test {

class Mirror {
 public:
  static constexpr size_t unit = size_t{64} << 20;
  static constexpr size_t page = 4096;

  // The last byte lies before a page that cannot be touched, and the first one behind another. Throws std::bad_alloc when
  // the range cannot be had.
  Mirror(size_t bytes, const std::vector<size_t>& own_places);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  uint8_t* start() const { return start_; }
  size_t size() const { return bytes_; }

  struct Range {
    size_t begin, end;  // bytes from start()
  };
  // What a test must fill and look at: one showing of the repeated memory, and the pages of their own.
  const std::vector<Range>& distinct() const { return distinct_; }

 private:
  uint8_t* base_;
  size_t reserved_;
  uint8_t* start_;
  size_t bytes_;
  std::vector<Range> distinct_;
};

}  // namespace garner_test
