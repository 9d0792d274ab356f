// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "tests/kernels/kernel_runs.h"

namespace garner_test {

using garner::Bounds;
using garner::Coord;
using garner::IndexType;
using garner::KernelArgs;
using garner::jit::Body;
using garner::jit::KernelKey;
using garner::jit::Lanes;

namespace {

constexpr int64_t most_data_bytes = 64 * 1024;

int64_t random_extent(const KernelKey& key, Random& random) {
  // Under clamp and zero an empty axis never comes here: nothing to clamp to, nothing but bad tuples.
  if (key.bounds == Bounds::error && random.chance(0.02)) return 0;
  if (key.body == Body::table) {
    const int64_t most = table_capacity(key);
    return random.chance(0.4) ? most : random.between(1, most);
  }
  if (key.coord_count == 1) return random.pick({1, 2, 3, 7, 16, 100, 127, 128, 129, 200, 255, 256, 257, 1000});
  if (key.coord_count == 2) return random.pick({1, 2, 3, 10, 64, 130});
  return random.pick({1, 2, 3, 7});
}

void choose_coords(const KernelKey& key, KernelArgs& args, Random& random) {
  const int64_t element = key.element_bytes;
  const int64_t grain = random.chance(0.6) ? element : 1;  // elements wider than what the strides count in are legal
  int64_t span = element;
  for (int k = key.coord_count; k-- > 0;) {
    Coord& coord = args.coords[k];
    coord.extent = random_extent(key, random);
    coord.index_stride = k * garner::index_bytes(key.index_type);
    const int64_t reach = std::max<int64_t>(coord.extent - 1, 0);
    if (k == key.coord_count - 1 && key.unit_coord != 0) {
      coord.data_stride = element;
    } else {
      coord.data_stride = span + grain * random.pick({0, 0, 1, 3});
      for (const int64_t unit : {grain, int64_t{1}}) {
        if (span + coord.data_stride * reach > most_data_bytes) coord.data_stride = unit * random.between(0, 3);
      }
      if (random.chance(0.25)) coord.data_stride = -coord.data_stride;
    }
    span += std::abs(coord.data_stride) * reach;
  }
}

void choose_rows(const KernelKey& key, KernelArgs& args, bool one_row, Random& random) {
  const int64_t element = key.element_bytes;
  const int64_t index_size = garner::index_bytes(key.index_type);
  if (key.lanes == Lanes::folded) {
    args.columns = random.pick({1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17});
  } else if (one_row) {
    args.columns = args.count + random.pick({0, 0, 1, 100});
  } else {
    args.columns = random.between(1, args.count + 4);
  }
  args.column = random.between(0, key.lanes != Lanes::folded && one_row ? args.columns - args.count : args.columns - 1);

  const int64_t grain = random.chance(0.6) ? element : 1;
  switch (key.lanes) {
    case Lanes::flat: args.data_column = 0; break;
    case Lanes::unit: args.data_column = element; break;
    default:
      args.data_column = grain * random.pick({0, 1, -1, 2, 5, -7, 33});
      for (const int64_t unit : {grain, int64_t{1}}) {
        if (std::abs(args.data_column) * args.columns > most_data_bytes)
          args.data_column = unit * random.between(-2, 2);
      }
  }
  int64_t output_gap = 0;
  args.index_column = key.coord_count * index_size;
  if (key.lanes == Lanes::strided) {
    const int64_t step = index_size * random.pick({1, 1, 2, 5, -1});
    for (int k = 0; k < key.coord_count; ++k) args.coords[k].index_stride = k * step;
    args.index_column = random.pick(
        {index_size, args.index_column, args.index_column + 3 * index_size, -index_size, int64_t{0}, int64_t{7}});
    output_gap = random.pick({int64_t{0}, element, int64_t{1}, int64_t{13}});
  }
  args.output_column = (element + output_gap) * (key.lanes == Lanes::strided && random.chance(0.3) ? -1 : 1);

  // Row strides; the carry is what remains of them when a row's columns have been stepped over.
  int64_t data_row = grain * random.pick({0, 1, 10, -10, 64, 300, -37});
  const int64_t rows = (args.column + args.count) / args.columns + 1;
  for (const int64_t unit : {grain, int64_t{1}}) {
    if (std::abs(data_row) * rows > most_data_bytes) data_row = unit * random.between(-2, 2);
  }
  const int64_t index_row = args.columns * args.index_column + index_size * random.pick({0, 0, 1, 9});
  const int64_t output_row = args.columns * std::abs(args.output_column) + random.pick({0, 0, 1, 9, 64});
  args.data_carry = data_row - args.columns * args.data_column;
  if (key.lanes == Lanes::folded) return;  // index and output are dense across rows
  args.index_carry = (random.chance(0.2) ? 0 : index_row) - args.columns * args.index_column;
  args.output_carry = (random.chance(0.2) ? -output_row : output_row) - args.columns * args.output_column;
}

void walk(KernelProblem& p) {
  const KernelArgs& args = p.args;
  int64_t column = args.column, data = 0, index = 0, output = 0;
  for (int64_t position = 0; position < args.count; ++position) {
    p.data_at.push_back(data);
    p.index_at.push_back(index);
    p.output_at.push_back(output);
    data += args.data_column;
    index += args.index_column;
    output += args.output_column;
    if (++column == args.columns) {
      column = 0;
      data += args.data_carry;
      index += args.index_carry;
      output += args.output_carry;
    }
  }
}

void measure(const KernelKey& key, KernelProblem& p) {
  const auto range = [](const std::vector<int64_t>& at, int64_t& low, int64_t& high) {
    low = *std::min_element(at.begin(), at.end());
    high = *std::max_element(at.begin(), at.end());
  };
  range(p.data_at, p.data_low, p.data_high);
  range(p.index_at, p.index_low, p.index_high);
  range(p.output_at, p.output_low, p.output_high);
  bool nothing = false;
  int64_t index_before = 0, index_after = 0;
  for (int k = 0; k < key.coord_count; ++k) {
    const Coord& coord = p.args.coords[k];
    nothing = nothing || coord.extent == 0;
    const int64_t reach = coord.data_stride * std::max<int64_t>(coord.extent - 1, 0);
    (reach < 0 ? p.data_low : p.data_high) += reach;
    index_before = std::min(index_before, coord.index_stride);
    index_after = std::max(index_after, coord.index_stride);
  }
  p.index_low += index_before;
  p.index_high += index_after + garner::index_bytes(key.index_type);
  p.output_high += key.element_bytes;
  p.data_high += key.element_bytes;
  if (nothing) p.data_low = p.data_high = 0;
}

}  // namespace

KernelProblem make_problem(const KernelKey& key, int64_t count, bool one_row, Random& random) {
  KernelProblem p{};
  garner::GatherProblem& problem = p.problem;
  problem.index_type = key.index_type;
  problem.bounds = key.bounds;
  problem.negative = key.negative;
  problem.element_kind = garner::ElementKind::bytes;
  problem.coord_count = key.coord_count;
  problem.element_bytes = key.element_bytes;
  problem.run_bytes = key.element_bytes;
  problem.run_count = 1;
  problem.tuple_count = count;
  p.args.count = count;
  choose_coords(key, p.args, random);
  choose_rows(key, p.args, one_row, random);
  std::copy(std::begin(p.args.coords), std::end(p.args.coords), std::begin(problem.coords));
  walk(p);
  measure(key, p);
  return p;
}

uint64_t draw_index(IndexType type, int64_t extent, Values values, Random& random) {
  const int bits = 8 * garner::index_bytes(type);
  const bool is_signed = garner::index_is_signed(type);
  const uint64_t highest = std::numeric_limits<uint64_t>::max() >> (is_signed ? 65 - bits : 64 - bits);
  const int64_t lowest = is_signed ? std::numeric_limits<int64_t>::min() >> (64 - bits) : 0;
  const auto s = static_cast<uint64_t>(extent);
  if (extent == 0 || (values == Values::extreme && random.chance(0.15))) {
    const uint64_t value =
        random.pick({s, s + 1, s - 1, 0 - s, 0 - s - 1, 0 - s + 1, static_cast<uint64_t>(lowest), highest, ~uint64_t{0},
                     uint64_t{1} << 31, (uint64_t{1} << 31) - 1, 0 - (uint64_t{1} << 31), uint64_t{1} << 32,
                     (uint64_t{1} << 32) + 1, 0 - (uint64_t{1} << 32), uint64_t{1} << 63, (uint64_t{1} << 63) - 1,
                     (uint64_t{1} << 63) + s, random.next()});
    return value;
  }
  const auto last = static_cast<int64_t>(std::min(s - 1, highest));
  int64_t value = random.between(0, last);
  const bool from_end =
      values == Values::negative ? random.chance(0.3) : values == Values::extreme && random.chance(0.1);
  if (from_end && is_signed && value - extent >= lowest) value -= extent;
  return static_cast<uint64_t>(value);
}

void write_indices(const KernelProblem& p, std::byte* first_position, Values values, Random& random) {
  const IndexType type = p.problem.index_type;
  const auto bytes = static_cast<size_t>(garner::index_bytes(type));
  const size_t count = p.index_at.size();
  const auto bad_position = static_cast<size_t>(random.between(0, static_cast<int64_t>(count) - 1));
  for (int k = 0; k < p.problem.coord_count; ++k) {
    const Coord& coord = p.args.coords[k];
    uint64_t held = draw_index(type, coord.extent, values, random);
    for (size_t position = 0; position < count; ++position) {
      const bool hold = values == Values::rows && !random.chance(0.02);
      if (!hold) held = draw_index(type, coord.extent, values, random);
      uint64_t value = held;
      if (values == Values::one_bad && position == bad_position)
        value = random.chance(0.5) ? static_cast<uint64_t>(coord.extent) : ~static_cast<uint64_t>(coord.extent);
      std::memcpy(first_position + p.index_at[position] + coord.index_stride, &value, bytes);
    }
  }
}

}  // namespace garner_test
