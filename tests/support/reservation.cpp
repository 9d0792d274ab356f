// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reservation.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace garner_test {

Reservation::Reservation(size_t bytes) : bytes_(bytes) {
  void* start = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  start_ = static_cast<uint8_t*>(start);
}

Reservation::~Reservation() { munmap(start_, bytes_); }

uint8_t* Reservation::open(size_t offset, size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t first = offset / page * page;
  const size_t end = (offset + bytes + page - 1) / page * page;
  if (mprotect(start_ + first, end - first, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  return start_ + offset;
}

}  // namespace garner_test
