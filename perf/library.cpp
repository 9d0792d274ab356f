// SPDX-License-Identifier: Apache-2.0
#include "perf/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "perf/input_error.h"

namespace garner::perf {
namespace {

std::string dl_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

template <class Function>
void find(void* handle, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) throw InputError(fmt::format("{}: is no garner library: it has no {}", path, name));
}

// A name under which the loader takes the file for another one. The copy lives in memory as long as it is mapped.
std::string copy_of(const std::string& path) {
  const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (from < 0 || fstat(from, &status) != 0) {
    const int reason = errno;
    if (from >= 0) close(from);
    throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(reason)));
  }
  const int to = memfd_create("garner-copy", MFD_CLOEXEC);
  off_t left = status.st_size;
  bool copied = to >= 0;
  while (copied && left > 0) {
    const ssize_t sent = sendfile(to, from, nullptr, static_cast<size_t>(left));
    copied = sent > 0;
    left -= sent;
  }
  close(from);
  if (!copied) {
    const int reason = errno;
    if (to >= 0) close(to);
    throw InputError(fmt::format("{}: cannot be copied into memory: {}", path, std::strerror(reason)));
  }
  return fmt::format("/proc/self/fd/{}", to);
}

}  // namespace

const Library& own_library() {
  static const Library library{"",
                               garner_version,
                               garner_abi_version,
                               garner_build_info,
                               garner_context_create,
                               garner_context_destroy,
                               garner_plan_create,
                               garner_plan_execute,
                               garner_plan_describe,
                               garner_plan_destroy};
  return library;
}

Library load_library(const std::string& path) {
  // Without a slash the loader would search its own folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  struct stat status;
  if (stat(file.c_str(), &status) != 0) throw InputError(fmt::format("{}: {}", path, std::strerror(errno)));
  if (void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); loaded != nullptr) file = copy_of(file);
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw InputError(fmt::format("{}: cannot be loaded: {}", path, dl_error()));
  Library library;
  library.path = path;
  find(handle, path, "garner_version", library.version);
  find(handle, path, "garner_abi_version", library.abi_version);
  find(handle, path, "garner_build_info", library.build_info);
  find(handle, path, "garner_context_create", library.context_create);
  find(handle, path, "garner_context_destroy", library.context_destroy);
  find(handle, path, "garner_plan_create", library.plan_create);
  find(handle, path, "garner_plan_execute", library.plan_execute);
  find(handle, path, "garner_plan_describe", library.plan_describe);
  find(handle, path, "garner_plan_destroy", library.plan_destroy);
  if (library.abi_version() != garner_abi_version()) {
    throw InputError(fmt::format("{}: has binary interface {}, this tool speaks {}", path, library.abi_version(),
                                 garner_abi_version()));
  }
  return library;
}

}  // namespace garner::perf
