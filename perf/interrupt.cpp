// SPDX-License-Identifier: Apache-2.0
#include "perf/interrupt.h"

#include <csignal>

namespace garner::perf {
namespace {

volatile std::sig_atomic_t was_interrupted = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { was_interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // a row that is being printed is not cut
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup stays nohup
}

bool interrupted() { return was_interrupted != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace garner::perf
