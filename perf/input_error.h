// SPDX-License-Identifier: Apache-2.0
// Input that cannot be used, and the process exit codes that every command shares.
#pragma once

#include <stdexcept>
#include <string>

namespace garner::perf {

inline constexpr int exit_fine = 0;
inline constexpr int exit_wrong = 1;  // a result was wrong, or a threshold or an expectation was not met
inline constexpr int exit_usage =
    2;  // usage, input that cannot be used, or an interrupt: not all that was asked for was done

// A malformed problem, a file that cannot be read, an operator that the library refuses: ends the command with
// exit_usage.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace garner::perf
