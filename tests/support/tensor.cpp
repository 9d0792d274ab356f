// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tensor.h"

#include <utility>

namespace garner_test {

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

Shape dense_strides(const Shape& shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

garner_tensor Tensor::descriptor() const {
  garner_tensor result = GARNER_TENSOR_INIT;
  result.dtype = dtype;
  result.element_bytes = element_bytes;
  result.rank = static_cast<int32_t>(shape.size());
  result.shape = shape.data();
  result.strides = strides ? strides->data() : nullptr;
  result.byte_offset = byte_offset;
  return result;
}

void for_each_element(const Tensor& tensor, const std::function<void(int64_t)>& visit) {
  const Shape strides = tensor.strides ? *tensor.strides : dense_strides(tensor.shape);
  const int64_t count = element_count(tensor.shape);
  Shape position(tensor.shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t element = 0;
    for (size_t d = 0; d < position.size(); ++d) element += position[d] * strides[d];
    visit(tensor.byte_offset + element * tensor.width());
    for (size_t d = position.size(); d-- > 0;) {
      if (++position[d] < tensor.shape[d]) break;
      position[d] = 0;
    }
  }
}

Bytes Tensor::logical_bytes() const {
  Bytes result;
  result.reserve(static_cast<size_t>(element_count(shape) * width()));
  for_each_element(*this, [&](int64_t offset) {
    const auto first = bytes.begin() + offset;
    result.insert(result.end(), first, first + width());
  });
  return result;
}

Tensor indices(Shape shape, const std::vector<int64_t>& values) { return dense<int64_t>(std::move(shape), values); }

Tensor patterned(garner_dtype dtype, int64_t element_bytes, Shape shape) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.element_bytes = element_bytes;
  tensor.shape = std::move(shape);
  tensor.bytes.resize(static_cast<size_t>(element_count(tensor.shape) * tensor.width()));
  uint64_t state = 0x9E3779B97F4A7C15u;
  for (uint8_t& byte : tensor.bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<uint8_t>(state >> 56);
  }
  return tensor;
}

const char* layout_name(Layout layout) {
  switch (layout) {
    case Layout::dense: return "dense";
    case Layout::offset: return "offset";
    case Layout::padded: return "padded";
    case Layout::transposed: return "transposed";
    case Layout::reversed: return "reversed";
  }
  return "?";
}

Tensor laid_out(const Tensor& dense_tensor, Layout layout) {
  Tensor result = dense_tensor;
  const size_t rank = result.shape.size();
  const int64_t width = result.width();
  Shape strides(rank);
  int64_t elements = 1;  // that the buffer spans
  if (layout == Layout::padded) {
    for (size_t d = rank; d-- > 0;) {
      strides[d] = d + 1 == rank ? 2 : elements + 2;
      elements = strides[d] * result.shape[d];
    }
  } else if (layout == Layout::transposed) {
    for (size_t d = 0; d < rank; ++d) {
      strides[d] = elements;
      elements *= result.shape[d];
    }
  } else {
    strides = dense_strides(result.shape);
    elements = element_count(result.shape);
  }
  int64_t first = 0;
  if (layout == Layout::reversed) {
    for (size_t d = 0; d < rank; ++d) {
      if (result.shape[d] > 0) first += (result.shape[d] - 1) * strides[d];
      strides[d] = -strides[d];
    }
  }
  if (layout != Layout::dense) {
    if (layout != Layout::offset) result.strides = strides;
    result.byte_offset = first * width + (layout == Layout::dense ? 0 : 3);
  }
  result.bytes.assign(static_cast<size_t>(elements * width + (layout == Layout::dense ? 0 : 3)), 0xA5);
  const uint8_t* source = dense_tensor.bytes.data();
  for_each_element(result, [&](int64_t offset) {
    std::memcpy(result.bytes.data() + offset, source, static_cast<size_t>(width));
    source += width;
  });
  return result;
}

}  // namespace garner_test
