// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kernel_runs.h"

#include <algorithm>
#include <cstring>

#include "jit/kernel_list.h"
#include "runtime/scalar_kernel.h"
#include "tests/kernels/checked_call.h"

namespace garner_test {

using garner::KernelArgs;
using garner::jit::KernelKey;

namespace {

constexpr size_t capacity = size_t{1} << 19;
alignas(64) constexpr std::byte zeros[garner::zeros_bytes] = {};
constexpr std::byte untouched{0x6B};

std::string number(const char* name, int64_t value) { return std::string(" ") + name + "=" + std::to_string(value); }

std::string arguments_text(const KernelProblem& p) {
  const KernelArgs& args = p.args;
  std::string text = number("count", args.count) + number("columns", args.columns) + number("column", args.column) +
                     number("data_column", args.data_column) + number("index_column", args.index_column) +
                     number("output_column", args.output_column) + number("data_carry", args.data_carry) +
                     number("index_carry", args.index_carry) + number("output_carry", args.output_carry) + " coords=";
  for (int k = 0; k < p.problem.coord_count; ++k) {
    text += std::to_string(args.coords[k].extent) + ":" + std::to_string(args.coords[k].data_stride) + ":" +
            std::to_string(args.coords[k].index_stride) + " ";
  }
  return text;
}

}  // namespace

const char* values_name(Values values) {
  static const char* const names[] = {"valid", "negative", "rows", "extreme", "one_bad"};
  return names[static_cast<int>(values)];
}

std::string RunRequest::text() const {
  return std::string(values_name(values)) + " values, all buffers " + (edge == Edge::low ? "start " : "end ") +
         std::to_string(gap) + " bytes from a guard page";
}

std::string key_name(const KernelKey& key) {
  char name[garner::jit::kernel_name_capacity];
  garner::jit::kernel_name(key, name);
  return name;
}

int64_t table_capacity(const KernelKey& key) {
  if (key.lanes == garner::jit::Lanes::unit) return key.table_registers;
  return int64_t{key.table_registers} * garner::jit::table_lanes(key);
}

KernelRuns::KernelRuns() : data_(capacity), indices_(capacity), output_(capacity), pool_(capacity) {
  Random random(1);
  for (std::byte& b : pool_) b = static_cast<std::byte>(random.next() & 0xFF);
}

std::string KernelRuns::place_of(const void* address) const {
  const auto at = reinterpret_cast<intptr_t>(address);
  const auto near = [at](const char* name, const GuardedBuffer& buffer) -> std::string {
    const auto first = reinterpret_cast<intptr_t>(buffer.data());
    const auto end = first + static_cast<intptr_t>(buffer.size());
    if (at >= first && at < end) return std::string(" inside ") + name;
    if (at >= end && at - end < 8192) return std::string(" at ") + std::to_string(at - end) + " bytes behind " + name;
    if (at < first && first - at < 8192)
      return std::string(" at ") + std::to_string(first - at) + " bytes before " + name;
    return "";
  };
  const std::string place = near("data", data_) + near("indices", indices_) + near("output", output_);
  return place.empty() ? " far from all buffers" : place;
}

std::string KernelRuns::run(const KernelKey& key, garner::KernelFunction function, const RunRequest& request,
                            Random& random) {
  KernelProblem p = make_problem(key, request.count, request.one_row, random);
  const auto data_bytes = static_cast<size_t>(p.data_high - p.data_low);
  const auto index_bytes = static_cast<size_t>(p.index_high - p.index_low);
  const auto output_bytes = static_cast<size_t>(p.output_high - p.output_low);

  std::byte* const data = data_.place(data_bytes, request.edge, request.gap);
  std::byte* const indices = indices_.place(index_bytes, request.edge, request.gap);
  std::byte* const output = output_.place(output_bytes, request.edge, request.gap);
  const auto from = random.between(0, static_cast<int64_t>(pool_.size() - data_bytes));
  std::memcpy(data, pool_.data() + from, data_bytes);
  std::memset(indices, 0x7F, index_bytes);
  write_indices(p, indices - p.index_low, request.values, random);
  std::memset(output, static_cast<int>(untouched), output_bytes);
  reference_.assign(output_bytes, untouched);

  garner::KernelFailure failure{};
  p.args.data = data - p.data_low;
  p.args.indices = indices - p.index_low;
  p.args.zeros = zeros;
  p.args.problem = &p.problem;
  p.args.run_count = 1;
  p.args.run_bytes = key.element_bytes;
  p.args.failure = &failure;
  p.args.output = reference_.data() - p.output_low;
  const int64_t right = garner::scalar_kernel(&p.args);
  p.args.output = output - p.output_low;
  const CheckedCall call = call_checked(function, p.args);
  ++runs_;

  if (call.fault.signal != 0) {
    return key_name(key) + ": signal " + std::to_string(call.fault.signal) + place_of(call.fault.address) + "\n    " +
           request.text() + arguments_text(p);
  }
  std::string wrong = call.violations;
  if (call.result < p.args.count) ++short_returns_;
  if (call.result < 0 || call.result > p.args.count) {
    wrong += number("returned", call.result);
  } else if (right == p.args.count ? call.result != right
                                   : call.result > right || call.result + garner::kernel_block <= right) {
    wrong += number("returned", call.result) + number("first_bad_tuple", right);
  }

  covered_.assign(output_bytes, 0);
  const auto element = static_cast<size_t>(key.element_bytes);
  for (size_t position = 0; position < p.output_at.size(); ++position) {
    const auto at = static_cast<size_t>(p.output_at[position] - p.output_low);
    std::memset(covered_.data() + at, 1, element);
    if (static_cast<int64_t>(position) >= call.result || static_cast<int64_t>(position) >= right) continue;
    if (std::memcmp(output + at, reference_.data() + at, element) != 0 && wrong.find("element") == std::string::npos) {
      wrong += number("wrong element at position", static_cast<int64_t>(position));
    }
  }
  for (size_t i = 0; i < output_bytes; ++i) {
    if (covered_[i] != 0 || output[i] == untouched) continue;
    wrong += number("byte between elements written at", static_cast<int64_t>(i));
    break;
  }
  if (!output_.surroundings_intact()) wrong += " bytes around the output written";
  if (!data_.surroundings_intact() || !indices_.surroundings_intact()) wrong += " bytes around an input written";
  if (wrong.empty()) return "";
  return key_name(key) + ":" + wrong + "\n    " + request.text() + arguments_text(p);
}

}  // namespace garner_test
