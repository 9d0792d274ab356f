// SPDX-License-Identifier: Apache-2.0
// The commands of garner-perf. Each adds itself to the command line and returns what runs it; the int is the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace garner::perf {

using Command = std::function<int()>;

// A check for options: an empty name is a mistake, not the absence of the option.
inline std::string not_empty(const std::string& value) { return value.empty() ? "the name is empty" : ""; }

Command add_ab(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_check(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_run(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_info(CLI::App& app);

}  // namespace garner::perf
