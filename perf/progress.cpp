// SPDX-License-Identifier: Apache-2.0
#include "perf/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "perf/timing.h"

namespace garner::perf {

Progress::Progress(int total) : total_(total), start_ns_(now_ns()), shown_(isatty(STDERR_FILENO) != 0) {}

void Progress::step(const std::string& what) {
  const int done = started_++;
  if (!shown_) return;
  std::string left;
  if (done > 0) {
    const double per_step = static_cast<double>(now_ns() - start_ns_) / 1e9 / done;
    left = fmt::format(", about {:.0f} s left", per_step * (total_ - done));
  }
  fmt::print(stderr, "\r\033[K{} of {}: {}{}", started_, total_, what, left);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_ || started_ == 0) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace garner::perf
