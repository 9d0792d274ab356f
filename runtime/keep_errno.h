// SPDX-License-Identifier: Apache-2.0
// The host's errno is not the library's to change, whatever a failing system call or allocation says.
#pragma once

#include <cerrno>

namespace garner {

// Volatile, because a compiler may take operator new for a function that changes no global state: it would then read errno late, and
// drop the write.
class KeepErrno {
 public:
  KeepErrno() : kept_(place()) {}
  ~KeepErrno() { place() = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  static volatile int& place() { return errno; }

  const int kept_;
};

}  // namespace garner
