// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, format versions 1.0 to 3.0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perf/element_type.h"
#include "perf/tensor.h"

namespace garner::perf {

struct NpyArray {
  std::string descr;  // as in the header: "<f4"
  ElementType type;   // bytes that no element type fits (long double, dates, S, V) are opaque
  std::vector<int64_t> shape;
  bool fortran_order = false;
  std::vector<std::byte> bytes;

  Tensor tensor() const;  // Fortran order becomes strides
};

// Throws InputError naming the file and what is wrong with it; big-endian, object, Unicode and structured arrays are
// refused.
NpyArray read_npy(const std::string& path);
// The same from memory; `name` stands for the file in messages.
NpyArray parse_npy(const std::vector<std::byte>& file, const std::string& name);

// C order. The file appears whole or not at all.
void write_npy(const std::string& path, const std::string& descr, const std::vector<int64_t>& shape,
               const std::byte* bytes, size_t count);

// A whole regular file, at most `limit` bytes.
std::vector<std::byte> read_file(const std::string& path, int64_t limit);

}  // namespace garner::perf
