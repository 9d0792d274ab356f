// SPDX-License-Identifier: Apache-2.0
// Tensors that own their bytes, in any layout, and the descriptors of the C API that go with them.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include <garner/garner.h>

namespace garner_test {

using Shape = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

int64_t element_count(const Shape& shape);
Shape dense_strides(const Shape& shape);

struct Tensor {
  garner_dtype dtype = 0;
  int64_t element_bytes = 0;  // as in garner_tensor: 0 where the type says it
  Shape shape;
  std::optional<Shape> strides;  // elements; none: dense
  int64_t byte_offset = 0;
  Bytes bytes;

  // Valid while this tensor lives unchanged.
  garner_tensor descriptor() const;
  int64_t width() const { return element_bytes != 0 ? element_bytes : garner_dtype_bytes(dtype); }
  // The elements in row-major order, whatever the layout.
  Bytes logical_bytes() const;
};

// Calls visit(byte offset in the buffer) for every element in row-major order.
void for_each_element(const Tensor& tensor, const std::function<void(int64_t)>& visit);

template <class T>
constexpr garner_dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return GARNER_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return GARNER_FLOAT64;
  else if constexpr (std::is_same_v<T, int8_t>)
    return GARNER_INT8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return GARNER_UINT8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return GARNER_INT16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return GARNER_UINT16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return GARNER_INT32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return GARNER_UINT32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return GARNER_INT64;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return GARNER_UINT64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return GARNER_COMPLEX64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return GARNER_COMPLEX128;
  else if constexpr (std::is_same_v<T, garner_string_view>)
    return GARNER_STRING;
  else
    static_assert(!sizeof(T), "no garner_dtype for this type");
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T>
Tensor dense(Shape shape, const std::vector<T>& values) {
  Tensor tensor;
  tensor.dtype = dtype_of<T>();
  tensor.shape = std::move(shape);
  tensor.bytes = bytes_of(values);
  return tensor;
}

// first, first + 1, first + 2, ...
template <class T>
Tensor arange(Shape shape, T first = T{}) {
  std::vector<T> values(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(first + static_cast<T>(i));
  return dense<T>(std::move(shape), values);
}

// int64 indices, by far the most common ones.
Tensor indices(Shape shape, const std::vector<int64_t>& values);

// The same elements under a wrapping of bytes: every byte is a function of its place, so that no two elements of up to 8
// bytes are equal by accident.
Tensor patterned(garner_dtype dtype, int64_t element_bytes, Shape shape);

enum class Layout {
  dense,
  offset,      // dense, three bytes into the buffer: nothing is aligned
  padded,      // every dim but the last steps over two more elements, the last one over one more
  transposed,  // column-major
  reversed,    // all strides negative
};
inline constexpr Layout all_layouts[] = {Layout::dense, Layout::offset, Layout::padded, Layout::transposed,
                                         Layout::reversed};
const char* layout_name(Layout layout);

// The same elements in another layout; bytes between them hold 0xA5.
Tensor laid_out(const Tensor& dense_tensor, Layout layout);

}  // namespace garner_test
