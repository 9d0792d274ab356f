// SPDX-License-Identifier: Apache-2.0
#include "perf/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/npy.h"
#include "perf/random.h"
#include "perf/tensor.h"

namespace garner::perf {
namespace {

using Kind = Pattern::Kind;

constexpr size_t interrupt_step = size_t{1} << 18;  // values between two looks for a signal

// A step that visits every number in [0, n) when it is added again and again.
int64_t coprime_step(int64_t n, int64_t wish) {
  int64_t step = std::max<int64_t>(1, wish % n) | 1;
  while (std::gcd(step, n) != 1) step += 2;
  return step;
}

int64_t multiply_modulo(int64_t a, int64_t b, int64_t n) {
  __extension__ using Wide = __int128;
  return static_cast<int64_t>(static_cast<Wide>(a) * b % n);
}

// Power law by the inverse of its distribution function; the ranks are scattered over the table.
int64_t draw_zipf(Random& random, int64_t n, double exponent, int64_t scatter) {
  const double u = random.unit();
  const double power = 1 - exponent;
  const double top = static_cast<double>(n);
  const double rank =
      std::abs(power) < 1e-9 ? std::pow(top, u) : std::pow((std::pow(top, power) - 1) * u + 1, 1 / power);
  const int64_t r = std::clamp<int64_t>(static_cast<int64_t>(std::min(rank, top)) - 1, 0, n - 1);
  return multiply_modulo(r, scatter, n);
}

// `length` numbers in [0, n), n >= 1: the order in which one sequence of tuples walks over its table.
std::vector<int64_t> draw_line(Random& random, const Pattern& pattern, int64_t n, int64_t length) {
  std::vector<int64_t> line(to_size(length));
  const auto fill = [&line](auto&& value) {
    for (size_t j = 0; j < line.size(); ++j) {
      if (j % interrupt_step == 0) stop_if_interrupted();
      line[j] = value(to_int(j));
    }
  };
  switch (pattern.kind) {
    case Kind::sequential: fill([n](int64_t j) { return j % n; }); break;
    case Kind::reversed: fill([n](int64_t j) { return n - 1 - j % n; }); break;
    case Kind::constant: fill([n](int64_t) { return n / 2; }); break;
    case Kind::sorted:
      fill([&](int64_t) { return random.below(n); });
      std::sort(line.begin(), line.end());
      break;
    case Kind::permutation:
    case Kind::rows:
      if (n <= (int64_t{1} << 24)) {  // a true shuffle, repeated when the table is shorter than the line
        std::vector<int64_t> order(to_size(n));
        std::iota(order.begin(), order.end(), int64_t{0});
        for (size_t j = order.size(); j > 1; --j) std::swap(order[j - 1], order[random.below(uint64_t{j})]);
        fill([&](int64_t j) { return order[to_size(j % n)]; });
      } else {
        const int64_t step = coprime_step(n, random.below(n));
        const int64_t start = random.below(n);
        fill([&](int64_t j) { return (multiply_modulo(j, step, n) + start) % n; });
      }
      break;
    case Kind::zipf: {
      const int64_t scatter = coprime_step(n, 2654435761);
      fill([&](int64_t) { return draw_zipf(random, n, pattern.parameter, scatter); });
      break;
    }
    case Kind::local: {
      const auto reach = static_cast<int64_t>(pattern.parameter);
      fill([&](int64_t j) {
        const auto centre =
            static_cast<int64_t>(static_cast<double>(j) * static_cast<double>(n) / static_cast<double>(length));
        return std::clamp<int64_t>(centre - reach + random.below(2 * reach + 1), 0, n - 1);
      });
      break;
    }
    case Kind::strided: {
      const auto step = static_cast<int64_t>(pattern.parameter);
      fill([&](int64_t j) { return multiply_modulo(j, step, n); });
      break;
    }
    default: fill([&](int64_t) { return random.below(n); }); break;
  }
  return line;
}

int64_t product(std::vector<int64_t>::const_iterator begin, std::vector<int64_t>::const_iterator end) {
  return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
}

class IndexGenerator {
 public:
  explicit IndexGenerator(const Problem& problem)
      : problem_(problem),
        random_(problem.seed),
        lowest_(lowest_index(problem.index_type.dtype)),
        highest_(highest_index(problem.index_type.dtype)) {}

  std::vector<int64_t> generate() {
    const std::vector<int64_t>& shape = problem_.indices_shape;
    values_.resize(to_size(product(shape.begin(), shape.end())));
    find_extents();
    if (values_.empty()) return std::move(values_);
    if (problem_.pattern.kind == Kind::file) {
      read_file();
    } else if (std::find(extents_.begin(), extents_.end(), 0) != extents_.end()) {
      std::fill(values_.begin(), values_.end(), 0);  // an empty axis has no legal index
    } else if (problem_.is_gather_elements()) {
      generate_elements();
    } else {
      generate_tuples();
    }
    make_negative();
    make_bad();
    return std::move(values_);
  }

 private:
  // Extents of the addressed axes; `reachable_` is what a narrow index type can name of each.
  void find_extents() {
    const std::vector<int64_t>& data = problem_.data_shape;
    if (problem_.is_gather_elements()) {
      const int64_t rank = to_int(data.size());
      axis_ = to_size(problem_.axis < 0 ? problem_.axis + rank : problem_.axis);
      extents_ = {data[axis_]};
    } else {
      const auto first = data.begin() + problem_.batch_dims;
      extents_.assign(first, first + problem_.indices_shape.back());
    }
    for (const int64_t extent : extents_) {
      reachable_.push_back(highest_ < extent ? highest_ + 1 : extent);
    }
  }

  void generate_elements() {
    const std::vector<int64_t>& shape = problem_.indices_shape;
    const auto axis = shape.begin() + to_int(axis_);
    const int64_t outer = product(shape.begin(), axis);
    const int64_t length = *axis;
    const int64_t inner = product(axis + 1, shape.end());
    const int64_t n = reachable_[0];
    const bool last = axis + 1 == shape.end();
    if (problem_.pattern.kind == Kind::diagonal) {
      const int64_t columns = shape.back();
      const int64_t rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
      for (size_t p = 0; p < values_.size(); ++p) {
        const int64_t column = to_int(p) % columns;
        const int64_t row = to_int(p) / columns % rows;
        values_[p] = std::clamp<int64_t>(row - column + n / 2, 0, n - 1);
      }
      return;
    }
    for (int64_t o = 0; o < outer; ++o) {
      int64_t* block = values_.data() + o * length * inner;
      if (problem_.pattern.kind == Kind::rows) {
        const std::vector<int64_t> line = last ? std::vector<int64_t>(to_size(length), random_.below(n))
                                               : draw_line(random_, problem_.pattern, n, length);
        for (int64_t a = 0; a < length; ++a) std::fill_n(block + a * inner, inner, line[to_size(a)]);
        continue;
      }
      for (int64_t i = 0; i < inner; ++i) {
        const std::vector<int64_t> line = draw_line(random_, problem_.pattern, n, length);
        for (int64_t a = 0; a < length; ++a) block[a * inner + i] = line[to_size(a)];
      }
    }
  }

  void generate_tuples() {
    const std::vector<int64_t>& shape = problem_.indices_shape;
    const size_t k = extents_.size();
    const size_t tuples = values_.size() / k;
    if (problem_.pattern.kind == Kind::diagonal) {
      for (size_t t = 0; t < tuples; ++t) {
        for (size_t j = 0; j < k; ++j) values_[t * k + j] = to_int(t) % reachable_[j];
      }
      return;
    }
    int64_t table = 1;
    bool countable = true;
    for (const int64_t extent : reachable_) countable = countable && !__builtin_mul_overflow(table, extent, &table);
    if (problem_.pattern.kind == Kind::uniform || !countable) {
      for (size_t t = 0; t < tuples; ++t) {
        if (t % interrupt_step == 0) stop_if_interrupted();
        for (size_t j = 0; j < k; ++j) values_[t * k + j] = random_.below(reachable_[j]);
      }
      return;
    }
    const auto first = shape.begin() + problem_.batch_dims;
    const int64_t batches = product(shape.begin(), first);
    const int64_t per_batch = product(first, shape.end() - 1);
    // A row of the indices: the last dim of tuples.
    const int64_t row = problem_.pattern.kind == Kind::rows && shape.end() - first >= 2 ? *(shape.end() - 2) : 1;
    int64_t* tuple = values_.data();
    for (int64_t b = 0; b < batches; ++b) {
      for (int64_t flat : draw_line(random_, problem_.pattern, table, per_batch / row)) {
        for (size_t j = k; j-- > 0;) {
          tuple[j] = flat % reachable_[j];
          flat /= reachable_[j];
        }
        for (int64_t repeat = 1; repeat < row; ++repeat) std::copy_n(tuple, k, tuple + repeat * to_int(k));
        tuple += row * to_int(k);
      }
    }
  }

  void read_file() {
    const NpyArray array = read_npy(problem_.pattern.path);
    if (!array.type.is_integer()) {
      throw InputError(fmt::format("{}: holds '{}', indices are integers", problem_.pattern.path, array.descr));
    }
    if (array.fortran_order && array.shape.size() > 1) {
      throw InputError(fmt::format("{}: is in Fortran order, indices are read in C order", problem_.pattern.path));
    }
    const size_t bytes = to_size(array.type.bytes());
    if (array.bytes.size() != values_.size() * bytes) {
      throw InputError(fmt::format("{}: holds {} values, indices of {} need {}", problem_.pattern.path,
                                   array.bytes.size() / bytes, format_shape(problem_.indices_shape), values_.size()));
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      int64_t value = 0;
      std::memcpy(&value, array.bytes.data() + i * bytes, bytes);
      if (array.type.is_signed_integer() && bytes < 8) {  // sign extension
        const auto shift = 64 - 8 * bytes;
        value = static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
      }
      const bool wide = problem_.index_type.dtype == GARNER_UINT64 && array.type.dtype == GARNER_UINT64;
      if (!wide && (value < lowest_ || value > highest_ || (value < 0 && array.type.dtype == GARNER_UINT64))) {
        throw InputError(fmt::format("{}: the value {} does not fit {}", problem_.pattern.path, value,
                                     short_name(problem_.index_type)));
      }
      values_[i] = value;
    }
  }

  void make_negative() {
    if (problem_.negative_fraction == 0 || lowest_ == 0) return;
    for (size_t i = 0; i < values_.size(); ++i) {
      const int64_t extent = extents_[i % extents_.size()];
      if (values_[i] - extent >= lowest_ && random_.unit() < problem_.negative_fraction) values_[i] -= extent;
    }
  }

  void make_bad() {
    if (problem_.bad_fraction == 0) return;
    const size_t k = extents_.size();
    for (size_t t = 0; t < values_.size() / k; ++t) {
      if (random_.unit() >= problem_.bad_fraction) continue;
      const size_t j = random_.below(uint64_t{k});
      const int64_t extent = extents_[j];
      // Just outside on both sides, the type's ends, and one that narrows to a legal 32-bit value.
      std::vector<int64_t> candidates;
      for (const int64_t value : {extent, -extent - 1, highest_, lowest_, int64_t{1} << 32}) {
        if (value >= lowest_ && value <= highest_ && (value >= extent || value < -extent)) candidates.push_back(value);
      }
      if (problem_.index_type.dtype == GARNER_UINT64) candidates.push_back(-1);  // UINT64_MAX
      if (!candidates.empty()) values_[t * k + j] = candidates[random_.below(uint64_t{candidates.size()})];
    }
  }

  const Problem& problem_;
  Random random_;
  int64_t lowest_;
  int64_t highest_;
  size_t axis_ = 0;
  std::vector<int64_t> extents_;
  std::vector<int64_t> reachable_;
  std::vector<int64_t> values_;
};

}  // namespace

std::vector<int64_t> generate_indices(const Problem& problem) { return IndexGenerator(problem).generate(); }

}  // namespace garner::perf
