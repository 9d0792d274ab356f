// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP as a request: the command stops after the current step and reports what it has.
#pragma once

namespace garner::perf {

void catch_interrupts();  // a second signal of the same kind ends the process at once
bool interrupted();

// Thrown out of long preparations, which have no result that could be reported. No std::exception, so that nothing that
// handles failures takes it for one.
struct Interrupted {};
void stop_if_interrupted();

}  // namespace garner::perf
