// SPDX-License-Identifier: Apache-2.0
// "3 of 12, about 9 s left" on standard error, when it is a terminal.
#pragma once

#include <cstdint>
#include <string>

namespace garner::perf {

class Progress {
 public:
  explicit Progress(int total);
  ~Progress() { clear(); }
  void step(const std::string& what);  // before each step
  void clear();                        // before other output

 private:
  int total_;
  int started_ = 0;
  int64_t start_ns_;
  bool shown_;
};

}  // namespace garner::perf
