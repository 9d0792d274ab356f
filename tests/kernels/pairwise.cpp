// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/pairwise.h"

#include <algorithm>
#include <cstddef>

namespace garner_test {
namespace {

// Numbers the pairs of an assignment: level of the first factor, level of the second, both counted over all factors.
class Pairs {
 public:
  explicit Pairs(const std::vector<int>& levels) {
    for (const int count : levels) {
      first_.push_back(total_);
      total_ += static_cast<size_t>(count);
    }
  }
  size_t count() const { return total_ * total_; }

  template <typename Visit>
  void each(const Assignment& a, Visit&& visit) const {
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = i + 1; j < a.size(); ++j) {
        visit((first_[i] + static_cast<size_t>(a[i])) * total_ + first_[j] + static_cast<size_t>(a[j]));
      }
    }
  }

 private:
  std::vector<size_t> first_;
  size_t total_ = 0;
};

}  // namespace

std::vector<Assignment> all_assignments(const std::vector<int>& levels,
                                        const std::function<bool(const Assignment&)>& allowed) {
  std::vector<Assignment> result;
  Assignment current(levels.size(), 0);
  for (;;) {
    if (allowed(current)) result.push_back(current);
    size_t f = levels.size();
    while (f > 0 && ++current[f - 1] == levels[f - 1]) current[--f] = 0;
    if (f == 0) return result;
  }
}

std::vector<Assignment> cover_pairs(const std::vector<int>& levels, const std::vector<Assignment>& all) {
  const Pairs pairs(levels);
  std::vector<char> missing(pairs.count(), 0);
  for (const Assignment& a : all) pairs.each(a, [&missing](size_t pair) { missing[pair] = 1; });
  auto left = std::count(missing.begin(), missing.end(), 1);
  std::vector<Assignment> chosen;
  while (left > 0) {
    const Assignment* best = nullptr;
    int best_gain = 0;
    for (const Assignment& a : all) {
      int gain = 0;
      pairs.each(a, [&](size_t pair) { gain += missing[pair]; });
      if (gain > best_gain) {
        best = &a;
        best_gain = gain;
      }
    }
    pairs.each(*best, [&missing](size_t pair) { missing[pair] = 0; });
    left -= best_gain;
    chosen.push_back(*best);
  }
  return chosen;
}

}  // namespace garner_test
