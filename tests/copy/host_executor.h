// SPDX-License-Identifier: Apache-2.0
// A host's threads, as odd as the contract of garner_executor allows.
#pragma once

#include <cstdint>
#include <vector>

#include <garner/garner.h>

#include "tests/property/random.h"

namespace garner_test {

enum class HostMode {
  serial,            // everything on the calling thread, in order
  shuffled,          // the same in random order
  concurrent,        // a thread for each call, and no call before all threads are there
  early,             // some of the calls only, then it returns
  concurrent_early,  // both
};
inline constexpr HostMode host_modes[] = {HostMode::serial, HostMode::shuffled, HostMode::concurrent, HostMode::early,
                                          HostMode::concurrent_early};
const char* name(HostMode mode);
inline bool is_concurrent(HostMode mode) { return mode == HostMode::concurrent || mode == HostMode::concurrent_early; }

// For one call at a time.
class HostExecutor {
 public:
  static constexpr int32_t concurrency = 9;

  explicit HostExecutor(uint64_t seed) : random_(seed) {}
  HostExecutor(const HostExecutor&) = delete;
  HostExecutor& operator=(const HostExecutor&) = delete;
  // Valid while this object lives.
  garner_executor descriptor();

  // What the next calls do; the counts below start anew.
  void become(HostMode mode);
  int32_t calls() const { return calls_; }
  int32_t asked() const { return asked_; }  // for how many calls of fn, by the last call
  int32_t ran() const { return ran_; }      // of these

 private:
  void run(int32_t n, void (*fn)(void* arg, int32_t i), void* arg);

  Random random_;
  HostMode mode_ = HostMode::serial;
  int32_t calls_ = 0, asked_ = 0, ran_ = 0;
};

}  // namespace garner_test
