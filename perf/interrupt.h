// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP as a request: the command stops after the current step and reports what it has.
#pragma once

namespace garner::perf {

void catch_interrupts();  // a second signal of the same kind ends the process at once
bool interrupted();

}  // namespace garner::perf
