// SPDX-License-Identifier: Apache-2.0
#include "tests/big/mirror.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace garner_test {
namespace {

void* check(void* mapping) {
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  return mapping;
}

}  // namespace

Mirror::Mirror(size_t bytes, const std::vector<size_t>& own_places) : bytes_(bytes) {
  const size_t mapped = (bytes + page - 1) / page * page;
  reserved_ = mapped + 2 * page;
  base_ = static_cast<uint8_t*>(
      check(mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)));
  uint8_t* const first = base_ + page;
  start_ = first + (mapped - bytes);
  const int file = memfd_create("mirror", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(unit)) != 0) throw std::bad_alloc();
  for (size_t at = 0; at < mapped; at += unit) {
    check(mmap(first + at, std::min(unit, mapped - at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0));
  }
  close(file);
  const size_t lead = mapped - bytes;  // bytes of the first page that are not the tensor's
  for (const size_t place : own_places) {
    const size_t own = std::min((place + lead) / page * page, mapped - page);
    check(mmap(first + own, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    distinct_.push_back({own <= lead ? 0 : own - lead, std::min(own + page - lead, bytes)});
  }
  // The second showing, where there is one: the first page of the first one may be cut by the start.
  const size_t begin = bytes > 2 * unit ? unit : 0;
  distinct_.push_back({begin, std::min(begin + unit, bytes)});
}

Mirror::~Mirror() { munmap(base_, reserved_); }

}  // namespace garner_test
