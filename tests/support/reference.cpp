// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference.h"

#include <cstring>
#include <stdexcept>

namespace garner_test {
namespace {

template <class T>
Wide read(const Bytes& bytes, int64_t number) {
  T value;
  std::memcpy(&value, bytes.data() + number * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

// Row-major place of a position in a shape.
int64_t place(const Shape& position, const Shape& shape) {
  int64_t result = 0;
  for (size_t d = 0; d < shape.size(); ++d) result = result * shape[d] + position[d];
  return result;
}

Shape position_at(int64_t number, const Shape& shape) {
  Shape position(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    position[d] = number % shape[d];
    number /= shape[d];
  }
  return position;
}

// What one index comes to under the policies: a place on the axis, or that it is bad.
struct Resolved {
  bool bad;
  int64_t place;
};
Resolved resolve(Wide value, int64_t extent, const garner_op& op) {
  const bool wrap = op.negative == GARNER_NEGATIVE_WRAP ||
                    (op.negative == GARNER_NEGATIVE_DEFAULT && op.kind != GARNER_GATHER_ND_OPENVINO_5);
  if (value < 0 && wrap) value += extent;
  if (value >= 0 && value < extent) return {false, static_cast<int64_t>(value)};
  if (op.bounds == GARNER_BOUNDS_CLAMP && extent > 0) return {false, value < 0 ? 0 : extent - 1};
  return {true, 0};
}

}  // namespace

Wide index_value(const Bytes& bytes, garner_dtype dtype, int64_t number) {
  switch (dtype) {
    case GARNER_INT8: return read<int8_t>(bytes, number);
    case GARNER_UINT8: return read<uint8_t>(bytes, number);
    case GARNER_INT16: return read<int16_t>(bytes, number);
    case GARNER_UINT16: return read<uint16_t>(bytes, number);
    case GARNER_INT32: return read<int32_t>(bytes, number);
    case GARNER_UINT32: return read<uint32_t>(bytes, number);
    case GARNER_INT64: return read<int64_t>(bytes, number);
    case GARNER_UINT64: return read<uint64_t>(bytes, number);
    default: throw std::logic_error("not an index type");
  }
}

Expected reference(const Problem& problem) {
  const garner_op& op = problem.op;
  const bool elements = op.kind == GARNER_GATHER_ELEMENTS_ONNX;
  const Shape& data_shape = problem.data.shape;
  const Shape& index_shape = problem.indices.shape;
  const Bytes data = problem.data.logical_bytes();
  const Bytes indices = problem.indices.logical_bytes();
  const size_t rank = data_shape.size();
  const size_t axis = static_cast<size_t>(op.axis < 0 ? op.axis + static_cast<int64_t>(rank) : op.axis);
  const size_t batch = static_cast<size_t>(op.batch_dims);
  const size_t depth = elements ? 1 : static_cast<size_t>(index_shape.back());
  const Shape positions = elements ? index_shape : Shape(index_shape.begin(), index_shape.end() - 1);
  const size_t sliced = elements ? rank : batch + depth;  // dims of data before the slice
  const Shape slice_shape(data_shape.begin() + static_cast<std::ptrdiff_t>(sliced), data_shape.end());
  const int64_t slice_bytes = element_count(slice_shape) * problem.data.width();

  Expected expected;
  expected.shape = positions;
  expected.shape.insert(expected.shape.end(), slice_shape.begin(), slice_shape.end());
  if (op.kind == GARNER_GATHER_ND_OPENVINO_5 && batch > 1) {
    const auto merged = expected.shape.begin() + static_cast<std::ptrdiff_t>(batch);
    const int64_t batches = element_count(Shape(expected.shape.begin(), merged));
    expected.shape.erase(expected.shape.begin() + 1, merged);
    expected.shape[0] = batches;
  }

  for (int64_t number = 0; number < element_count(positions); ++number) {
    Shape source = position_at(number, positions);  // the leading dims of data that the tuple addresses
    bool zero = false;
    if (!elements) source.resize(batch);
    for (size_t k = 0; k < depth; ++k) {
      const size_t addressed = elements ? axis : batch + k;
      const Wide value =
          index_value(indices, problem.indices.dtype, number * static_cast<int64_t>(depth) + static_cast<int64_t>(k));
      const Resolved resolved = resolve(value, data_shape[addressed], op);
      if (resolved.bad && op.bounds != GARNER_BOUNDS_ZERO) {
        return out_of_bounds(number, static_cast<int32_t>(k), static_cast<int32_t>(addressed),
                             static_cast<int64_t>(value), data_shape[addressed]);
      }
      zero = zero || resolved.bad;
      if (elements) {
        source[axis] = resolved.place;
      } else {
        source.push_back(resolved.place);
      }
    }
    if (zero) {
      expected.output.insert(expected.output.end(), static_cast<size_t>(slice_bytes), 0);
    } else {
      const Shape leading(data_shape.begin(), data_shape.begin() + static_cast<std::ptrdiff_t>(sliced));
      const auto first = data.begin() + place(source, leading) * slice_bytes;
      expected.output.insert(expected.output.end(), first, first + slice_bytes);
    }
  }
  return expected;
}

}  // namespace garner_test
