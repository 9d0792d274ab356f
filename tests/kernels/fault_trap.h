// SPDX-License-Identifier: Apache-2.0
// Turns a fault in a kernel (a guard page touched, an instruction that the CPU does not know) into a result, so that a
// sweep can name it and go on.
#pragma once

#include <csetjmp>
#include <csignal>

namespace garner_test {

struct Fault {
  int signal = 0;  // 0: none
  const void* address = nullptr;
};

// While one lives, faults between arm() and disarm() jump to the point that sigsetjmp noted. Others go where they went
// before.
class FaultTrap {
 public:
  FaultTrap();
  ~FaultTrap();
  FaultTrap(const FaultTrap&) = delete;
  FaultTrap& operator=(const FaultTrap&) = delete;

  static sigjmp_buf& target();
  static void arm();
  static void disarm();
  static Fault last();

 private:
  struct sigaction previous_[3];
};

}  // namespace garner_test
