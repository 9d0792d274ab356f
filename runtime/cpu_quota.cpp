// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_quota.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "runtime/keep_errno.h"

namespace garner {
namespace {

constexpr int32_t unlimited = INT32_MAX;
constexpr std::string_view v2_mount = "/sys/fs/cgroup";
constexpr std::string_view v1_mounts[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};

// A path, or the text of a small file; what does not fit makes it invalid.
struct Text {
  char bytes[4096];
  size_t size = 0;
  bool valid = true;

  void append(std::string_view text) {
    if (size + text.size() >= sizeof(bytes)) {
      valid = false;
      return;
    }
    std::memcpy(bytes + size, text.data(), text.size());
    size += text.size();
    bytes[size] = '\0';
  }
  std::string_view view() const { return {bytes, size}; }
};

bool read_file(const char* path, Text& text) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  text.size = 0;
  bool good = true;
  while (text.size < sizeof(text.bytes)) {
    const ssize_t got = read(file, text.bytes + text.size, sizeof(text.bytes) - text.size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      good = got == 0;
      break;
    }
    text.size += static_cast<size_t>(got);
  }
  close(file);
  return good;
}

bool read_file(std::string_view folder, std::string_view name, Text& text) {
  Text path;
  path.append(folder);
  path.append(name);
  return path.valid && read_file(path.bytes, text);
}

// A decimal number at the start of `text`, which is moved behind it and the blank that follows; -1 when there is none.
int64_t take_number(std::string_view& text) {
  int64_t number = 0;
  size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    if (number > INT64_MAX / 100) return -1;
    number = number * 10 + (text[at] - '0');
  }
  if (at == 0) return -1;
  text.remove_prefix(std::min(text.size(), at + 1));
  return number;
}

int32_t cpus(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0) return unlimited;
  return static_cast<int32_t>(std::min<int64_t>(quota / period + (quota % period != 0), unlimited));
}

// "max 100000" or "150000 100000".
int32_t v2_limit(std::string_view folder) {
  Text text;
  if (!read_file(folder, "/cpu.max", text)) return unlimited;
  std::string_view rest = text.view();
  const int64_t quota = take_number(rest);
  return quota < 0 ? unlimited : cpus(quota, take_number(rest));
}

// A quota of -1 is none.
int32_t v1_limit(std::string_view folder) {
  Text text;
  if (!read_file(folder, "/cpu.cfs_quota_us", text)) return unlimited;
  std::string_view rest = text.view();
  const int64_t quota = take_number(rest);
  if (quota < 0 || !read_file(folder, "/cpu.cfs_period_us", text)) return unlimited;
  rest = text.view();
  return cpus(quota, take_number(rest));
}

// The lowest limit of the group `path` below `mount` and of all groups around it.
int32_t lowest_limit(std::string_view mount, std::string_view path, int32_t (*limit)(std::string_view folder)) {
  int32_t lowest = limit(mount);
  while (path.size() > 1) {
    Text folder;
    folder.append(mount);
    folder.append(path);
    if (folder.valid) lowest = std::min(lowest, limit(folder.view()));
    path = path.substr(0, path.rfind('/'));
  }
  return lowest;
}

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "cpu") return true;
    controllers.remove_prefix(std::min(controllers.size(), end + 1));
  }
  return false;
}

// Lines of "ID:CONTROLLERS:PATH"; version 2 has no controllers.
int32_t read_quota() {
  Text groups;
  if (!read_file("/proc/self/cgroup", groups)) return unlimited;
  int32_t lowest = unlimited;
  std::string_view rest = groups.view();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (path.empty() || path.front() != '/') continue;
    if (controllers.empty()) {
      lowest = std::min(lowest, lowest_limit(v2_mount, path, v2_limit));
    } else if (names_cpu(controllers)) {
      for (const std::string_view mount : v1_mounts) lowest = std::min(lowest, lowest_limit(mount, path, v1_limit));
    }
  }
  return lowest;
}

std::atomic<int32_t> cached_quota{0};  // 0: not read yet; threads that race read the same

}  // namespace

int32_t online_cpus() {
  const KeepErrno keep;
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 && count < INT32_MAX ? static_cast<int32_t>(count) : 1;
}

int32_t affinity_cpus() {
  const KeepErrno keep;
  cpu_set_t set;
  // Fails where there are more CPUs than the set can hold; then there is no reason to save on threads either.
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return unlimited;
  return std::max(CPU_COUNT(&set), 1);
}

int32_t quota_cpus() {
  int32_t quota = cached_quota.load(std::memory_order_relaxed);
  if (quota == 0) {
    const KeepErrno keep;
    quota = read_quota();
    cached_quota.store(quota, std::memory_order_relaxed);
  }
  return quota;
}

}  // namespace garner
