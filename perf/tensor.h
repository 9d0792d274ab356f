// SPDX-License-Identifier: Apache-2.0
// Tensor descriptions that own their shapes, and page-mapped buffers.
#pragma once

#include <garner/garner.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perf/element_type.h"

namespace garner::perf {

inline size_t to_size(int64_t value) { return static_cast<size_t>(value); }
inline int64_t to_int(size_t value) { return static_cast<int64_t>(value); }

// What garner_tensor describes.
struct Tensor {
  ElementType type;
  std::vector<int64_t> shape;
  std::optional<std::vector<int64_t>> strides;  // in elements
  int64_t byte_offset = 0;

  garner_tensor view() const;  // valid while *this lives unchanged
  bool is_dense() const;       // row-major without gaps
  std::vector<int64_t> element_strides() const;
  // Products that overflow are an InputError.
  int64_t element_count() const;
  int64_t buffer_bytes() const;  // smallest buffer that holds every element, byte_offset included
  // Moves the tensor so that its lowest byte lies at `offset`, which matters for negative strides.
  void place_lowest_byte_at(int64_t offset);

 private:
  struct Reach {
    int64_t below;  // elements
    int64_t above;
  };
  Reach reach() const;
};

enum class Pages { normal, huge };

// Anonymous memory, zeroed; its start is aligned to a page (2 MiB with huge pages). Never touches the heap's own pages.
class Buffer {
 public:
  Buffer() = default;
  Buffer(int64_t bytes, Pages pages);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const { return start_; }
  int64_t size() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  size_t mapped_bytes_ = 0;
  std::byte* start_ = nullptr;
  int64_t bytes_ = 0;
};

// Pseudo-random bytes, as fast as memory takes them. Throws Interrupted.
void fill_bytes(std::byte* bytes, int64_t count, uint64_t seed);

}  // namespace garner::perf
