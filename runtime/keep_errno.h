// SPDX-License-Identifier: Apache-2.0
// The host's errno is not the library's to change, whatever a failing system call or allocation says.
#pragma once

#include <cerrno>

namespace garner {

class KeepErrno {
 public:
  KeepErrno() : kept_(errno) {}
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  const int kept_;
};

}  // namespace garner
