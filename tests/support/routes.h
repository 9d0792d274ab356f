// SPDX-License-Identifier: Apache-2.0
// Every way in which the library can execute a problem: path x body x ISA, each forced by a context of its own.
#pragma once

#include <string>
#include <vector>

#include <garner/garner.h>

#include "tests/support/handles.h"

namespace garner_test {

struct Route {
  int32_t path;  // GARNER_PATH_...; GARNER_PATH_AUTO: the planner's own choice
  int32_t body;  // GARNER_BODY_..., of the jit path
  int32_t isa;   // GARNER_ISA_...; the highest that may be used
};
std::string name(const Route& route);  // "jit-loads-avx2"

// All routes that this CPU and build can run, the planner's own choice first.
const std::vector<Route>& routes();
// Names of those that it cannot, for reports.
std::string absent_routes();

// Most threads that a call can have in the contexts below.
inline constexpr int32_t most_threads = 7;

// The options that force a route: min_shard_bytes 0, so that the smallest work is cut, and an executor of std::threads.
garner_context_options options_for(const Route& route);
// A shared context made with them; lives as long as the process.
garner_context* context_for(const Route& route);

// Empty when the plan took the route, otherwise what it took instead. A body that does not apply to a problem is no fault,
// neither is a lower ISA.
std::string deviation(const Route& route, const Description& description);

// Whether the two fast paths promise to take a plan of this description; see docs/design.md.
bool jit_must_take(const Description& automatic);
bool copy_must_take(const Description& automatic);

}  // namespace garner_test
