// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <string>

namespace garner::perf {

// Written beside its target under a temporary name, renamed by commit(), removed when it was never committed. Behind a
// symbolic link the target is where the link leads. Every failure is an InputError that names the target.
class AtomicFile {
 public:
  explicit AtomicFile(std::string target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, size_t count);
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string target_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace garner::perf
