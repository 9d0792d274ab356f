// SPDX-License-Identifier: Apache-2.0
// Huge address ranges of which only the wanted pages exist: a wrong offset faults instead of returning a stray zero.
#pragma once

#include <cstddef>
#include <cstdint>

namespace garner_test {

class Reservation {
 public:
  // Nothing can be read or written until it is opened. Throws std::bad_alloc when the range cannot be had.
  explicit Reservation(size_t bytes);
  ~Reservation();
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  uint8_t* start() const { return start_; }
  size_t size() const { return bytes_; }
  // Makes the pages that hold [offset, offset + bytes) readable and writable, and returns the address of offset.
  uint8_t* open(size_t offset, size_t bytes);

 private:
  uint8_t* start_;
  size_t bytes_;
};

}  // namespace garner_test
