// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/fault_trap.h"

namespace garner_test {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGILL};

// A fault is delivered to the thread that made it.
thread_local sigjmp_buf jump_target;
thread_local volatile sig_atomic_t armed = 0;
thread_local Fault last_fault;
struct sigaction* previous_actions = nullptr;

void on_fault(int signal, siginfo_t* info, void*) {
  if (armed != 0) {
    armed = 0;
    last_fault = {signal, info->si_addr};
    siglongjmp(jump_target, 1);
  }
  // Not ours: the instruction faults again, into whoever handled it before.
  for (size_t i = 0; i < 3; ++i) {
    if (signals[i] == signal) sigaction(signal, &previous_actions[i], nullptr);
  }
}

}  // namespace

FaultTrap::FaultTrap() {
  struct sigaction action = {};
  action.sa_sigaction = &on_fault;
  // The jump leaves the handler without returning, so the signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < 3; ++i) sigaction(signals[i], &action, &previous_[i]);
  previous_actions = previous_;
}

FaultTrap::~FaultTrap() {
  for (size_t i = 0; i < 3; ++i) sigaction(signals[i], &previous_[i], nullptr);
  previous_actions = nullptr;
}

sigjmp_buf& FaultTrap::target() { return jump_target; }
void FaultTrap::arm() { armed = 1; }
void FaultTrap::disarm() { armed = 0; }
Fault FaultTrap::last() { return last_fault; }

}  // namespace garner_test
