// SPDX-License-Identifier: Apache-2.0
#include "perf/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "perf/input_error.h"

namespace garner::perf {

namespace {

// Where a symbolic link leads, so that the link stays and its target is replaced; the target need not exist.
std::string behind_links(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path place = path;
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(place, error); ++links) {
    place = place.parent_path() / fs::read_symlink(place, error);  // an absolute target replaces the parent
  }
  return place.string();
}

}  // namespace

AtomicFile::AtomicFile(std::string target) : target_(behind_links(target)), temporary_(target_ + ".XXXXXX") {
  struct stat status;
  if (stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw InputError(fmt::format("{}: cannot be written: it exists and is not a regular file", target_));
  }
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot be written");
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor_, 0666 & ~mask);  // what a plain open would have given
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void AtomicFile::write(const void* bytes, size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(descriptor_, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing failed");
    next += written;
    count -= static_cast<size_t>(written);
  }
}

void AtomicFile::commit() {
  const int descriptor = descriptor_;
  if (close(descriptor) != 0 || rename(temporary_.c_str(), target_.c_str()) != 0) {
    descriptor_ = -1;
    const int reason = errno;
    unlink(temporary_.c_str());
    errno = reason;
    fail("writing failed");
  }
  descriptor_ = -1;
}

void AtomicFile::fail(const char* what) const {
  throw InputError(fmt::format("{}: {}: {}", target_, what, std::strerror(errno)));
}

}  // namespace garner::perf
