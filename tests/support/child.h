// SPDX-License-Identifier: Apache-2.0
// What must not happen to the test's own process happens in a child.
#pragma once

#include <functional>
#include <string>

namespace garner_test {

// Runs a function in a forked child; empty when it returned an empty text, otherwise what went wrong there.
std::string in_child(const std::function<std::string()>& run);

}  // namespace garner_test
