// SPDX-License-Identifier: Apache-2.0
// What every fuzz target needs: the entry point's declaration, the bytes of an input as values, and the end of the program
// when something is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace garner_test {

// Takes values from the front of an input; zeros when it is used up.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* bytes, size_t size) : next_(bytes), left_(size) {}

  template <class T>
  T take() {
    T value{};
    const size_t part = left_ < sizeof(T) ? left_ : sizeof(T);
    if (part > 0) std::memcpy(&value, next_, part);
    next_ += part;
    left_ -= part;
    return value;
  }
  const uint8_t* rest() const { return next_; }
  size_t left() const { return left_; }
  void skip(size_t bytes) {
    next_ += bytes;
    left_ -= bytes;
  }

 private:
  const uint8_t* next_;
  size_t left_;
};

// A finding: both libFuzzer and the replay take an abort for one.
[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

}  // namespace garner_test
