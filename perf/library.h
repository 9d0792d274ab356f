// SPDX-License-Identifier: Apache-2.0
// The functions of a garner library that the tool calls: its own, or a shared object's, which is used through the public C API
// alone.
#pragma once

#include <garner/garner.h>

#include <string>

namespace garner::perf {

struct Library {
  std::string path;  // "" for the tool's own
  decltype(&garner_version) version = nullptr;
  decltype(&garner_abi_version) abi_version = nullptr;
  decltype(&garner_build_info) build_info = nullptr;
  decltype(&garner_context_create) context_create = nullptr;
  decltype(&garner_context_destroy) context_destroy = nullptr;
  decltype(&garner_plan_create) plan_create = nullptr;
  decltype(&garner_plan_execute) plan_execute = nullptr;
  decltype(&garner_plan_describe) plan_describe = nullptr;
  decltype(&garner_plan_destroy) plan_destroy = nullptr;
};

const Library& own_library();

// Loads a shared object, for the life of the process: its worker threads may outlive any use. A file that is loaded already is
// loaded again, as a copy with code and data of its own. Throws InputError when it is no garner library, or one with another
// binary interface.
Library load_library(const std::string& path);

}  // namespace garner::perf
