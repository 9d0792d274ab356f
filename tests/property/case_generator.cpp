// SPDX-License-Identifier: Apache-2.0
#include "tests/property/case_generator.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace garner_test {
namespace {

// ---- Shapes ------------------------------------------------------------------------------------------------------

int64_t random_extent(Random& random) {
  const int64_t die = random.between(0, 99);
  if (die < 2) return 0;
  if (die < 20) return 1;
  if (die < 60) return random.between(2, 5);
  if (die < 90) return random.between(6, 40);
  if (die < 97) return random.between(41, 300);
  return random.between(301, 3000);
}

// Shrinks extents until at most `limit` elements remain. Extents before `first` stay.
void bound_elements(Random& random, Shape& shape, size_t first, int64_t limit) {
  if (first >= shape.size()) return;
  const auto positive_count = [&shape] {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= std::max<int64_t>(extent, 1);
    return count;
  };
  for (int attempt = 0; positive_count() > limit && attempt < 64; ++attempt) {
    const auto d =
        static_cast<size_t>(random.between(static_cast<int64_t>(first), static_cast<int64_t>(shape.size()) - 1));
    shape[d] = std::min<int64_t>(shape[d], random.chance(0.5) ? 2 : (shape[d] + 1) / 2);
  }
  for (size_t d = first; d < shape.size() && positive_count() > limit; ++d) shape[d] = std::min<int64_t>(shape[d], 1);
}

Shape random_shape(Random& random, int64_t rank) {
  Shape shape(static_cast<size_t>(rank));
  for (int64_t& extent : shape) extent = rank > 6 && random.chance(0.6) ? 1 : random_extent(random);
  return shape;
}

int64_t random_rank(Random& random) {
  if (random.chance(0.04)) return random.between(7, GARNER_MAX_RANK);
  return random.between(1, 6);
}

// ---- Layouts -----------------------------------------------------------------------------------------------------

// Row-major; empty extents count as one, so that an empty output has distinct strides as well.
Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

// Distinct places for all elements, in any order of dims, with gaps, in either direction.
Shape distinct_strides(Random& random, const Shape& shape) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (random.chance(0.4)) {
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<size_t>(random.between(0, static_cast<int64_t>(i) - 1))]);
    }
  }
  const double padding = random.pick({0.0, 0.0, 0.3, 1.0});
  const double reversing = random.pick({0.0, 0.0, 0.3});
  Shape strides(shape.size());
  int64_t stride = random.chance(0.15) ? random.between(2, 4) : 1;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    strides[d] = random.chance(reversing) ? -stride : stride;
    stride *= std::max<int64_t>(shape[d], 1);
    if (random.chance(padding)) stride += random.between(1, 5);
  }
  return strides;
}

// Strides of extents up to 1 mean nothing, whatever they are.
void disturb_unused_strides(Random& random, TensorCase& tensor) {
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] > 1) continue;
    tensor.strides[d] = random.pick({int64_t{0}, int64_t{-1}, int64_t{12345}, std::numeric_limits<int64_t>::max(),
                                     std::numeric_limits<int64_t>::min()});
  }
}

void choose_layout(Random& random, TensorCase& tensor, bool input) {
  tensor.pass_strides = random.chance(0.6);
  tensor.strides = row_major_strides(tensor.shape);
  if (tensor.pass_strides && random.chance(0.8)) {
    tensor.strides = distinct_strides(random, tensor.shape);
    if (input && random.chance(0.2)) {
      for (int64_t& stride : tensor.strides) stride = random.chance(0.4) ? 0 : stride;
    }
    const Interval interval = touched_bytes(tensor);
    if (interval.high - interval.low > max_case_bytes - 256) tensor.strides = row_major_strides(tensor.shape);
    if (random.chance(0.3)) disturb_unused_strides(random, tensor);
  }
  const Interval interval = touched_bytes(tensor);
  const int64_t front = random.chance(0.2) ? random.between(1, 70) : 0;
  const int64_t back = random.chance(0.1) ? random.between(1, 70) : 0;
  tensor.byte_offset = front - interval.low;
  tensor.buffer_bytes = tensor.byte_offset + interval.high + back;
}

// ---- Types -------------------------------------------------------------------------------------------------------

void choose_element(Random& random, GatherCase& c) {
  if (random.chance(0.85)) {
    c.dtype =
        random.pick({GARNER_BOOL, GARNER_INT8, GARNER_UINT8, GARNER_FLOAT8E4M3FN, GARNER_FLOAT16, GARNER_BFLOAT16,
                     GARNER_INT16, GARNER_UINT16, GARNER_FLOAT32, GARNER_FLOAT32, GARNER_INT32, GARNER_UINT32,
                     GARNER_FLOAT64, GARNER_INT64, GARNER_UINT64, GARNER_COMPLEX64, GARNER_COMPLEX128, GARNER_STRING});
    c.data.element_bytes = garner_dtype_bytes(c.dtype);
    c.declared_element_bytes = c.dtype != GARNER_STRING && random.chance(0.3) ? c.data.element_bytes : 0;
  } else {
    c.dtype = GARNER_OPAQUE;
    c.data.element_bytes = random.pick({1,  2,  3,  4,  5,  6,  7,  8,   9,   12,  15,  16,  17,  20,   24,  31,
                                        32, 33, 48, 63, 64, 65, 96, 100, 128, 255, 256, 257, 500, 1000, 4097});
    c.declared_element_bytes = c.data.element_bytes;
  }
  c.output.element_bytes = c.data.element_bytes;
  c.index_dtype = random.pick({GARNER_INT8, GARNER_UINT8, GARNER_INT16, GARNER_UINT16, GARNER_INT32, GARNER_UINT32,
                               GARNER_UINT64, GARNER_INT64, GARNER_INT64, GARNER_INT32});
  c.indices.element_bytes = garner_dtype_bytes(c.index_dtype);
}

// ---- Index values --------------------------------------------------------------------------------------------------

struct IndexLimits {
  int64_t lowest;  // of the type
  uint64_t highest;
};

IndexLimits limits_of(const GatherCase& c) {
  const int bits = static_cast<int>(8 * c.indices.element_bytes);
  const bool is_signed = c.index_dtype == GARNER_INT8 || c.index_dtype == GARNER_INT16 ||
                         c.index_dtype == GARNER_INT32 || c.index_dtype == GARNER_INT64;
  if (is_signed)
    return {std::numeric_limits<int64_t>::min() >> (64 - bits), std::numeric_limits<uint64_t>::max() >> (65 - bits)};
  return {0, std::numeric_limits<uint64_t>::max() >> (64 - bits)};
}

// Values at and just beyond every edge, cut to the type's width by the writer.
uint64_t wild_value(Random& random, int64_t extent) {
  const auto s = static_cast<uint64_t>(extent);
  return random.pick({s, s + 1, 0 - s, 0 - s - 1, uint64_t{1} << 31, (uint64_t{1} << 31) - 1, uint64_t{1} << 32,
                      (uint64_t{1} << 32) + 1, uint64_t{1} << 63, (uint64_t{1} << 63) - 1, ~uint64_t{0}, uint64_t{127},
                      uint64_t{128}, uint64_t{255}, uint64_t{32768}, uint64_t{65535}, 0 - (uint64_t{1} << 31),
                      random.next()});
}

enum class Pattern { uniform, sequential, constant_row, constant, reversed, tiny_set };

class IndexWriter {
 public:
  IndexWriter(Random& random, GatherCase& c)
      : random_(random),
        case_(c),
        limits_(limits_of(c)),
        pattern_(random.pick({Pattern::uniform, Pattern::uniform, Pattern::uniform, Pattern::sequential,
                              Pattern::constant_row, Pattern::constant_row, Pattern::constant, Pattern::reversed,
                              Pattern::tiny_set})),
        negative_(random.pick({0.0, 0.0, 0.0, 0.02, 0.3, 1.0})),
        bad_(random.pick({0.0, 0.0, 0.0, 0.0, 0.001, 0.01, 0.3})) {
    static const char* const names[] = {"uniform", "sequential", "rows", "constant", "reversed", "tiny_set"};
    case_.pattern = names[static_cast<int>(pattern_)] + std::string(":negative=") + std::to_string(negative_) +
                    ":bad=" + std::to_string(bad_);
  }

  void write_all() {
    const TensorCase& indices = case_.indices;
    if (element_count(indices.shape) == 0) return;
    Shape where(indices.shape.size(), 0);
    const bool elements = is_gather_elements(case_);
    const auto axis =
        static_cast<size_t>(case_.axis < 0 ? case_.axis + static_cast<int64_t>(case_.data.shape.size()) : case_.axis);
    int64_t step = 0;
    do {
      const size_t addressed = elements ? axis : static_cast<size_t>(case_.batch_dims + where.back());
      const bool row_start = where.back() == 0;
      const uint64_t value = draw(case_.data.shape[addressed], step, row_start);
      const auto at = static_cast<size_t>(indices.byte_offset + byte_distance(indices, where));
      for (int64_t i = 0; i < indices.element_bytes; ++i) {
        case_.index_bytes[at + static_cast<size_t>(i)] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
      }
      if (elements || row_start) ++step;
    } while (next_position(where, indices.shape));
  }

 private:
  uint64_t draw(int64_t extent, int64_t step, bool row_start) {
    if (extent == 0 || random_.chance(bad_)) return wild_value(random_, extent);
    // The part of the axis that the type can name.
    const int64_t last = static_cast<int64_t>(std::min(static_cast<uint64_t>(extent - 1), limits_.highest));
    const bool is_signed = limits_.lowest < 0;
    int64_t value = 0;
    switch (pattern_) {
      case Pattern::uniform: value = random_.between(0, last); break;
      case Pattern::sequential: value = step % (last + 1); break;
      case Pattern::reversed: value = last - step % (last + 1); break;
      case Pattern::constant: value = last / 2; break;
      case Pattern::tiny_set: value = random_.between(0, std::min<int64_t>(last, 3)); break;
      case Pattern::constant_row:
        if (row_start || held_ > last) held_ = random_.between(0, last);
        value = held_;
        break;
    }
    if (is_signed && random_.chance(negative_) && value - extent >= limits_.lowest) value -= extent;
    return static_cast<uint64_t>(value);
  }

  Random& random_;
  GatherCase& case_;
  IndexLimits limits_;
  Pattern pattern_;
  double negative_;
  double bad_;
  int64_t held_ = 0;
};

// ---- Operators ---------------------------------------------------------------------------------------------------

void choose_gather_elements(Random& random, GatherCase& c, int64_t data_limit, int64_t output_limit) {
  c.kind = GARNER_GATHER_ELEMENTS_ONNX;
  const int64_t rank = random_rank(random);
  c.axis = random.between(-rank, rank - 1);
  const auto axis = static_cast<size_t>(c.axis < 0 ? c.axis + rank : c.axis);
  c.data.shape = random_shape(random, rank);
  bound_elements(random, c.data.shape, 0, data_limit);
  c.indices.shape = c.data.shape;
  const bool smaller = random.chance(0.4);
  for (size_t d = 0; d < c.indices.shape.size(); ++d) {
    int64_t& extent = c.indices.shape[d];
    if (d == axis) {
      extent = random_extent(random);
    } else if (smaller && random.chance(0.5)) {
      extent = random.between(extent == 0 ? 0 : 1, extent);
    }
  }
  bound_elements(random, c.indices.shape, 0, output_limit);
}

void choose_gather_nd(Random& random, GatherCase& c, int64_t data_limit, int64_t output_limit) {
  c.kind = random.pick(
      {GARNER_GATHER_ND_ONNX, GARNER_GATHER_ND_ONNX, GARNER_GATHER_ND_OPENVINO_8, GARNER_GATHER_ND_OPENVINO_5});
  const int64_t rank = random_rank(random);
  const int64_t index_rank = random_rank(random);
  // One-element slices, which the jit path takes, half of the time.
  const bool single = random.chance(0.5);
  const int64_t most_batch = std::min(rank, index_rank) - 1;
  c.batch_dims = random.chance(0.5) ? 0 : random.between(0, most_batch);
  int64_t depth = random.between(1, rank - c.batch_dims);
  if (single) depth = rank - c.batch_dims;
  if (depth > 6 && random.chance(0.7)) {
    c.batch_dims = std::min(most_batch, rank - 6);
    depth = rank - c.batch_dims;
  }
  // The output's rank is bounded too.
  depth = std::max(depth, index_rank - 1 + rank - c.batch_dims - GARNER_MAX_RANK);
  c.data.shape = random_shape(random, rank);
  bound_elements(random, c.data.shape, 0, data_limit);
  c.indices.shape = random_shape(random, index_rank);
  std::copy(c.data.shape.begin(), c.data.shape.begin() + c.batch_dims, c.indices.shape.begin());
  c.indices.shape.back() = depth;
  int64_t slice = 1;
  for (size_t d = static_cast<size_t>(c.batch_dims + depth); d < c.data.shape.size(); ++d)
    slice *= std::max<int64_t>(c.data.shape[d], 1);
  // All dims but the last, which is the depth, and the batch dims, which data dictates.
  Shape free_dims(c.indices.shape.begin(), c.indices.shape.end() - 1);
  bound_elements(random, free_dims, static_cast<size_t>(c.batch_dims), std::max<int64_t>(1, output_limit / slice));
  std::copy(free_dims.begin(), free_dims.end(), c.indices.shape.begin());
}

// A batch may multiply the output beyond what bound_elements could take away; such a draw is made again.
bool fits(const GatherCase& c, const Shape& output) {
  return element_count(output) * c.data.element_bytes <= max_case_bytes / 2 && element_count(output) <= 40000 &&
         element_count(c.indices.shape) * c.indices.element_bytes <= max_case_bytes / 2 &&
         element_count(c.indices.shape) <= 40000;
}

Shape output_shape(const GatherCase& c) {
  if (is_gather_elements(c)) return c.indices.shape;
  const Shape& indices = c.indices.shape;
  const auto batch = static_cast<std::ptrdiff_t>(c.batch_dims);
  Shape shape(indices.begin(), indices.end() - 1);
  if (c.kind == GARNER_GATHER_ND_OPENVINO_5 && batch > 1) {
    const int64_t merged = element_count(Shape(shape.begin(), shape.begin() + batch));
    shape.erase(shape.begin() + 1, shape.begin() + batch);
    shape[0] = merged;
  }
  shape.insert(shape.end(), c.data.shape.begin() + batch + indices.back(), c.data.shape.end());
  return shape;
}

void fill_random(Random& random, std::vector<std::byte>& bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % 8 == 0) word = random.next();
    bytes[i] = static_cast<std::byte>(word >> (8 * (i % 8)) & 0xFF);
  }
}

}  // namespace

GatherCase random_case(Random& random) {
  for (;;) {
    GatherCase c;
    choose_element(random, c);
    const int64_t bytes_limit = random.chance(0.05) ? 200000 : 30000;
    const int64_t data_limit = std::max<int64_t>(1, std::min<int64_t>(bytes_limit / c.data.element_bytes, 12000));
    const int64_t output_limit =
        std::max<int64_t>(1, std::min<int64_t>(bytes_limit / c.data.element_bytes, random.pick({60, 1500, 6000})));
    if (random.chance(0.45)) {
      choose_gather_elements(random, c, data_limit, output_limit);
    } else {
      choose_gather_nd(random, c, data_limit, output_limit);
    }
    c.output.shape = output_shape(c);
    if (!fits(c, c.output.shape)) continue;
    c.bounds = random.pick({GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO});
    c.negative = random.pick({GARNER_NEGATIVE_DEFAULT, GARNER_NEGATIVE_WRAP, GARNER_NEGATIVE_REJECT});
    choose_layout(random, c.data, true);
    choose_layout(random, c.indices, true);
    choose_layout(random, c.output, false);
    if (random.chance(0.3)) {
      c.pass_output = false;
      c.output.strides = row_major_strides(c.output.shape);
      c.output.byte_offset = 0;
      c.output.buffer_bytes = element_count(c.output.shape) * c.output.element_bytes;
    }
    c.data_bytes.resize(static_cast<size_t>(c.data.buffer_bytes));
    c.index_bytes.resize(static_cast<size_t>(c.indices.buffer_bytes));
    fill_random(random, c.data_bytes);
    fill_random(random, c.index_bytes);
    IndexWriter(random, c).write_all();
    return c;
  }
}

}  // namespace garner_test
