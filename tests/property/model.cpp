// SPDX-License-Identifier: Apache-2.0
#include "tests/property/model.h"

#include <algorithm>
#include <cstring>

namespace garner_test {
namespace {

// Wide enough for every value of every index type, and for sums with an extent.
__extension__ using Wide = __int128;

bool index_is_unsigned(garner_dtype dtype) {
  return dtype == GARNER_UINT8 || dtype == GARNER_UINT16 || dtype == GARNER_UINT32 || dtype == GARNER_UINT64;
}

Wide read_index(const std::byte* at, int64_t bytes, garner_dtype dtype) {
  uint64_t bits = 0;
  for (int64_t i = bytes; i-- > 0;) bits = bits << 8 | std::to_integer<uint64_t>(at[i]);
  if (index_is_unsigned(dtype)) return static_cast<Wide>(bits);
  const int unused = static_cast<int>(64 - 8 * bytes);
  return static_cast<Wide>(static_cast<int64_t>(bits << unused) >> unused);
}

// What one index value addresses.
struct Resolved {
  enum { inside, zero, error } kind;
  int64_t place;
};

Resolved resolve(const GatherCase& c, Wide value, int64_t extent) {
  int32_t negative = c.negative;
  if (negative == GARNER_NEGATIVE_DEFAULT) {
    negative = c.kind == GARNER_GATHER_ND_OPENVINO_5 ? GARNER_NEGATIVE_REJECT : GARNER_NEGATIVE_WRAP;
  }
  if (value < 0 && negative == GARNER_NEGATIVE_WRAP) value += extent;
  if (value >= 0 && value < extent) return {Resolved::inside, static_cast<int64_t>(value)};
  if (c.bounds == GARNER_BOUNDS_ZERO) return {Resolved::zero, 0};
  if (c.bounds == GARNER_BOUNDS_CLAMP && extent > 0) return {Resolved::inside, value < 0 ? 0 : extent - 1};
  return {Resolved::error, 0};
}

// Both operators read one value at a time; this reads it and keeps the first failure.
class Reader {
 public:
  Reader(const GatherCase& c, ModelResult& result) : case_(c), result_(result) {}

  Resolved read(const Shape& where, int64_t extent, int64_t position, int64_t coordinate, int64_t axis) {
    const TensorCase& indices = case_.indices;
    const std::byte* at = case_.index_bytes.data() + indices.byte_offset + byte_distance(indices, where);
    const Wide value = read_index(at, indices.element_bytes, case_.index_dtype);
    const Resolved resolved = resolve(case_, value, extent);
    if (resolved.kind == Resolved::error && result_.status == GARNER_OK) {
      result_.status = GARNER_OUT_OF_BOUNDS;
      result_.position = position;
      result_.coordinate = static_cast<int32_t>(coordinate);
      result_.axis = static_cast<int32_t>(axis);
      result_.value = static_cast<int64_t>(static_cast<uint64_t>(value));
      result_.extent = extent;
    }
    return resolved;
  }

  // source NULL: zero bytes.
  void write(const Shape& where, const Shape* source) {
    const auto bytes = static_cast<size_t>(case_.data.element_bytes);
    const auto at = static_cast<size_t>(case_.output.byte_offset + byte_distance(case_.output, where));
    std::memset(result_.covered.data() + at, 1, bytes);
    if (result_.status != GARNER_OK) return;
    if (source == nullptr) {
      std::memset(result_.output.data() + at, 0, bytes);
    } else {
      const auto from = static_cast<size_t>(case_.data.byte_offset + byte_distance(case_.data, *source));
      std::memcpy(result_.output.data() + at, case_.data_bytes.data() + from, bytes);
    }
  }

 private:
  const GatherCase& case_;
  ModelResult& result_;
};

Shape part(const Shape& shape, size_t first, size_t last) {
  return Shape(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.begin() + static_cast<std::ptrdiff_t>(last));
}

void append(Shape& shape, const Shape& more) { shape.insert(shape.end(), more.begin(), more.end()); }

void gather_elements(const GatherCase& c, ModelResult& result) {
  Reader reader(c, result);
  const auto rank = static_cast<int64_t>(c.data.shape.size());
  const auto axis = static_cast<size_t>(c.axis < 0 ? c.axis + rank : c.axis);
  Shape where(c.indices.shape.size(), 0);
  Shape source;
  int64_t position = 0;
  if (element_count(c.indices.shape) == 0) return;
  do {
    const Resolved resolved = reader.read(where, c.data.shape[axis], position, 0, static_cast<int64_t>(axis));
    source = where;
    source[axis] = resolved.place;
    reader.write(where, resolved.kind == Resolved::inside ? &source : nullptr);
    ++position;
  } while (next_position(where, c.indices.shape));
}

void gather_nd(const GatherCase& c, ModelResult& result) {
  Reader reader(c, result);
  const auto batch = static_cast<size_t>(c.batch_dims);
  const size_t index_rank = c.indices.shape.size();
  const auto depth = static_cast<size_t>(c.indices.shape.back());
  const Shape tuples = part(c.indices.shape, 0, index_rank - 1);
  const Shape slice = part(c.data.shape, batch + depth, c.data.shape.size());
  const bool merged = c.kind == GARNER_GATHER_ND_OPENVINO_5 && batch > 1;
  const size_t target_lead = merged ? tuples.size() - batch + 1 : tuples.size();
  if (element_count(tuples) == 0) return;
  Shape tuple(tuples.size(), 0);
  Shape where(index_rank, 0);
  Shape source(c.data.shape.size(), 0);
  Shape target(target_lead + slice.size(), 0);
  Shape inner(slice.size(), 0);
  int64_t position = 0;
  do {
    std::copy(tuple.begin(), tuple.end(), where.begin());
    std::copy(tuple.begin(), tuple.begin() + c.batch_dims, source.begin());
    bool zero = false;
    for (size_t k = 0; k < depth; ++k) {
      where.back() = static_cast<int64_t>(k);
      const size_t axis = batch + k;
      const Resolved resolved =
          reader.read(where, c.data.shape[axis], position, static_cast<int64_t>(k), static_cast<int64_t>(axis));
      zero = zero || resolved.kind != Resolved::inside;
      source[axis] = resolved.place;
    }
    if (merged) {
      target[0] = 0;
      for (size_t d = 0; d < batch; ++d) target[0] = target[0] * tuples[d] + tuple[d];
      std::copy(tuple.begin() + c.batch_dims, tuple.end(), target.begin() + 1);
    } else {
      std::copy(tuple.begin(), tuple.end(), target.begin());
    }
    if (element_count(slice) != 0) {
      do {
        std::copy(inner.begin(), inner.end(), source.begin() + static_cast<std::ptrdiff_t>(batch + depth));
        std::copy(inner.begin(), inner.end(), target.begin() + static_cast<std::ptrdiff_t>(target_lead));
        reader.write(target, zero ? nullptr : &source);
      } while (next_position(inner, slice));
    }
    ++position;
  } while (next_position(tuple, tuples));
}

}  // namespace

Shape model_output_shape(const GatherCase& c) {
  if (is_gather_elements(c)) return c.indices.shape;
  const auto batch = static_cast<size_t>(c.batch_dims);
  const auto depth = static_cast<size_t>(c.indices.shape.back());
  const size_t tuple_rank = c.indices.shape.size() - 1;
  Shape shape;
  if (c.kind == GARNER_GATHER_ND_OPENVINO_5 && batch > 1) {
    shape.push_back(element_count(part(c.indices.shape, 0, batch)));
    append(shape, part(c.indices.shape, batch, tuple_rank));
  } else {
    shape = part(c.indices.shape, 0, tuple_rank);
  }
  append(shape, part(c.data.shape, batch + depth, c.data.shape.size()));
  return shape;
}

ModelResult run_model(const GatherCase& c, const std::vector<std::byte>& before) {
  ModelResult result;
  result.output = before;
  result.covered.assign(before.size(), 0);
  if (is_gather_elements(c)) {
    gather_elements(c, result);
  } else {
    gather_nd(c, result);
  }
  return result;
}

}  // namespace garner_test
