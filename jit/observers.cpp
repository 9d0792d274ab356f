// SPDX-License-Identifier: Apache-2.0
#include "jit/observers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "runtime/keep_errno.h"

namespace garner::jit {
namespace {

// A line or path built without stdio; silently cut at its capacity.
class Text {
 public:
  void append(const char* part) {
    while (*part != '\0' && size_ + 1 < sizeof(text_)) text_[size_++] = *part++;
    text_[size_] = '\0';
  }
  void append_number(uint64_t value, unsigned base) {
    if (value >= base) append_number(value / base, base);
    const char digit[2] = {"0123456789abcdef"[value % base], '\0'};
    append(digit);
  }
  const char* c_str() const { return text_; }
  size_t size() const { return size_; }

 private:
  char text_[4096] = {};
  size_t size_ = 0;
};

void write_all(int file, const void* bytes, size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = write(file, next, size);
    if (written <= 0) return;
    next += written;
    size -= static_cast<size_t>(written);
  }
}

void dump(const char* folder, const char* name, const void* code, size_t bytes) {
  Text path;
  path.append(folder);
  path.append("/");
  path.append(name);
  path.append(".bin");
  // O_EXCL: never write through a link or over a file that somebody else put there.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  write_all(file, code, bytes);
  close(file);
}

bool is_own_plain_file(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

void append_perf_map(const char* folder, const char* name, const void* code, size_t bytes) {
  Text path;
  path.append(folder);
  path.append("/perf-");
  path.append_number(static_cast<uint64_t>(getpid()), 10);
  path.append(".map");
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  if (is_own_plain_file(file)) {
    Text line;
    line.append_number(reinterpret_cast<uintptr_t>(code), 16);
    line.append(" ");
    line.append_number(bytes, 16);
    line.append(" ");
    line.append(name);
    line.append("\n");
    write_all(file, line.c_str(), line.size());  // one write: lines of several threads do not mix
  }
  close(file);
}

}  // namespace

void announce(const Observers& observers, const KernelKey& key, const void* code, size_t bytes) {
  if (observers.dump_folder == nullptr && observers.perf_map_folder == nullptr) return;
  const KeepErrno keep;
  char name[kernel_name_capacity];
  kernel_name(key, name);
  if (observers.dump_folder != nullptr) dump(observers.dump_folder, name, code, bytes);
  if (observers.perf_map_folder != nullptr) append_perf_map(observers.perf_map_folder, name, code, bytes);
}

}  // namespace garner::jit
