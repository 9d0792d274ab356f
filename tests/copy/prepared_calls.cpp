// SPDX-License-Identifier: Apache-2.0
#include "tests/copy/prepared_calls.h"

#include <cstring>
#include <utility>

#include "tests/copy/copy_forms.h"
#include "tests/support/catch.h"
#include "tests/support/reference.h"

namespace garner_test {
namespace {

Given with_answer(Problem problem, int32_t max_threads) {
  Expected expected = reference(problem);
  return {std::move(problem), std::move(expected), max_threads};
}

std::vector<int64_t> some_indices(int64_t count, int64_t extent) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i * 7919 % static_cast<size_t>(2 * extent)) - extent;
  return values;
}

std::vector<Given> make_calls() {
  std::vector<Given> calls;
  // As an engine makes them: no limit of threads is given, and yet there is to be no thread.
  for (int64_t count = 1; count <= 512; ++count) {
    calls.push_back(with_answer({gather_nd(), arange<float>({30}), indices({count, 1}, some_indices(count, 30))}, 0));
  }
  for (const int64_t count : {1, 8, 64, 512}) {
    const std::vector<int64_t> values = some_indices(count, 20);
    calls.push_back(with_answer({gather_nd(), patterned(GARNER_UINT8, 0, {20, 60}), indices({count, 1}, values)}, 0));
    calls.push_back(with_answer({gather_elements(0), arange<double>({20, count}), indices({1, count}, values)}, 0));
    std::vector<int64_t> bad = values;
    bad[static_cast<size_t>(count / 2)] = 20;
    calls.push_back(with_answer({gather_nd(), arange<float>({20}), indices({count, 1}, bad)}, 0));
    calls.push_back(with_answer({gather_nd(), patterned(GARNER_UINT8, 0, {20, 100}), indices({count, 1}, bad)}, 0));
  }
  // Large enough for threads, and told to do without.
  for (const int64_t bytes : {3, 12, 24, 60, 64, 100, 256, 300, 512, 1024, 3001}) {
    const int64_t count = 400000 / bytes;
    calls.push_back(with_answer(
        {gather_nd(), patterned(GARNER_UINT8, 0, {50, bytes}), indices({count, 1}, some_indices(count, 50))}, 1));
  }
  Tensor runs = patterned(GARNER_UINT8, 0, {10, 4 * 100});
  runs.shape = {10, 4, 90};
  runs.strides = Shape{400, 100, 1};
  calls.push_back(with_answer({gather_nd(), runs, indices({1000, 1}, some_indices(1000, 10))}, 1));
  return calls;
}

}  // namespace

std::vector<Setup> setups() {
  std::vector<Setup> result;
  for (const Route& route : routes()) {
    garner_context_options options = context_options();
    options.path = route.path;
    options.body = route.body;
    options.max_isa = route.isa;
    result.push_back({name(route), options});
  }
  for (const CopyForm& form : copy_forms()) {
    result.push_back({"copy " + name(form), options_for(form, GARNER_PATH_COPY)});
  }
  return result;
}

const std::vector<Given>& given_calls() {
  static const std::vector<Given> calls = make_calls();
  return calls;
}

PreparedCalls::PreparedCalls(garner_context* context) : context_(context) {
  for (const Given& given : given_calls()) {
    Call call{&given, given.problem.data.descriptor(), given.problem.indices.descriptor(), nullptr, {}, arguments()};
    garner_plan* plan = nullptr;
    garner_error error = no_error();
    const garner_status status =
        garner_plan_create(context, &given.problem.op, &call.data, &call.indices, nullptr, &plan, &error);
    if (status == GARNER_UNSUPPORTED) continue;  // of a forced path or body
    INFO(error.text);
    REQUIRE(plan != nullptr);
    call.plan.reset(plan);
    call.output.resize(static_cast<size_t>(described_number(describe(plan, 1), "output_bytes")));
    call.args.data = given.problem.data.bytes.data();
    call.args.data_bytes = given.problem.data.bytes.size();
    call.args.indices = given.problem.indices.bytes.data();
    call.args.indices_bytes = given.problem.indices.bytes.size();
    call.args.output = call.output.data();
    call.args.output_bytes = call.output.size();
    call.args.max_threads = given.max_threads;
    calls_.push_back(std::move(call));
  }
}

void PreparedCalls::spoil(Call& call) { std::memset(call.output.data(), 0x5A, call.output.size()); }

bool PreparedCalls::is_right(const Call& call, garner_status status, const garner_error& error) {
  const Expected& expected = call.given->expected;
  if (status != expected.status) return false;
  if (status != GARNER_OK) return error.position == expected.position && error.value == *expected.value;
  return std::memcmp(call.output.data(), expected.output.data(), expected.output.size()) == 0;
}

int64_t PreparedCalls::execute() {
  for (size_t i = 0; i < calls_.size(); ++i) {
    Call& call = calls_[i];
    spoil(call);
    garner_error error = no_error();
    const garner_status status = garner_plan_execute(call.plan.get(), &call.args, &error);
    if (!is_right(call, status, error)) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t PreparedCalls::execute_in_one_call() {
  for (size_t i = 0; i < calls_.size(); ++i) {
    Call& call = calls_[i];
    spoil(call);
    garner_error error = no_error();
    const garner_status status =
        garner_execute(context_, &call.given->problem.op, &call.data, &call.indices, nullptr, &call.args, &error);
    if (!is_right(call, status, error)) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace garner_test
