// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "tests/support/catch.h"

namespace garner_test {
namespace {

constexpr size_t canary_bytes = 96;
constexpr uint8_t canary = 0xA5;

// An output tensor of the wanted layout within canaries.
struct Output {
  Tensor tensor;  // its bytes are only the layout's, without values
  Bytes memory;

  Output(const Problem& problem, const Shape& shape) {
    Tensor zeros;
    zeros.dtype = problem.data.dtype;
    zeros.element_bytes = problem.data.element_bytes;
    zeros.shape = shape;
    zeros.bytes.assign(static_cast<size_t>(element_count(shape) * zeros.width()), 0);
    tensor = laid_out(zeros, problem.output_layout);
    memory.assign(tensor.bytes.size() + 2 * canary_bytes, canary);
  }
  uint8_t* start() { return memory.data() + canary_bytes; }
  size_t size() const { return tensor.bytes.size(); }

  // Takes the elements out and tells whether everything else is as it was.
  bool collect(Bytes& elements) {
    std::copy_n(start(), size(), tensor.bytes.begin());  // an empty tensor has no address that memcpy may take
    elements = tensor.logical_bytes();
    for_each_element(
        tensor, [&](int64_t offset) { std::memset(start() + offset, canary, static_cast<size_t>(tensor.width())); });
    return std::all_of(memory.begin(), memory.end(), [](uint8_t byte) { return byte == canary; });
  }
};

garner_args arguments_for(const Problem& problem, Output& output, int32_t threads) {
  garner_args args = arguments(problem, output.start(), output.size());
  args.max_threads = threads;
  return args;
}

garner_status infer(const Problem& problem, Shape& shape, garner_error& error) {
  const garner_tensor data = problem.data.descriptor();
  const garner_tensor indices = problem.indices.descriptor();
  shape.assign(GARNER_MAX_RANK, -1);
  int32_t rank = -1;
  const garner_status status =
      garner_infer_shape(&problem.op, &data, &indices, shape.data(), GARNER_MAX_RANK, &rank, &error);
  shape.resize(status == GARNER_OK ? static_cast<size_t>(rank) : 0);
  return status;
}

Outcome run_form(const Route& route, const Problem& problem, int32_t threads, bool one_call) {
  Outcome outcome;
  outcome.status = infer(problem, outcome.shape, outcome.error);
  if (outcome.status != GARNER_OK) {
    // The plan must refuse for the same reason.
    const garner_tensor data = problem.data.descriptor();
    const garner_tensor indices = problem.indices.descriptor();
    garner_plan* plan = nullptr;
    const garner_status planned =
        garner_plan_create(context_for(route), &problem.op, &data, &indices, nullptr, &plan, nullptr);
    CHECK(plan == nullptr);
    CHECK(planned == outcome.status);
    return outcome;
  }

  Output output(problem, outcome.shape);
  const garner_tensor data = problem.data.descriptor();
  const garner_tensor indices = problem.indices.descriptor();
  const garner_tensor out = output.tensor.descriptor();
  garner_plan* created = nullptr;
  outcome.status = garner_plan_create(context_for(route), &problem.op, &data, &indices, &out, &created, &outcome.error);
  const PlanHandle plan(created);
  if (outcome.status != GARNER_OK) {
    CHECK(created == nullptr);
    if (outcome.status == GARNER_UNSUPPORTED && route.path != GARNER_PATH_AUTO) {
      outcome.applied = false;
      outcome.why_not = outcome.error.text;
    }
    return outcome;
  }
  outcome.description = describe(plan.get(), threads);
  outcome.why_not = deviation(route, outcome.description);
  if (!outcome.why_not.empty()) {
    outcome.applied = false;
    return outcome;
  }
  const garner_args args = arguments_for(problem, output, threads);
  outcome.error = no_error();
  outcome.status = one_call
                       ? garner_execute(context_for(route), &problem.op, &data, &indices, &out, &args, &outcome.error)
                       : garner_plan_execute(plan.get(), &args, &outcome.error);
  outcome.inside = output.collect(outcome.output);
  return outcome;
}

std::vector<std::string> strings_of(const Bytes& views) {
  std::vector<std::string> result;
  for (const garner_string_view& view : values_of<garner_string_view>(views)) {
    result.push_back(view.size == 0 ? std::string() : std::string(view.data, view.size));
  }
  return result;
}

void check(const Outcome& outcome, const Expected& expected) {
  INFO("text: " << outcome.error.text);
  if (std::find(expected.also.begin(), expected.also.end(), outcome.status) != expected.also.end()) return;
  CHECK(garner_status_name(outcome.status) == std::string(garner_status_name(expected.status)));
  CHECK(outcome.error.status == outcome.status);
  CHECK(outcome.inside);
  if (outcome.status != expected.status) return;
  if (expected.status == GARNER_OK) {
    CHECK(outcome.shape == expected.shape);
    if (expected.strings) {
      CHECK(strings_of(outcome.output) == *expected.strings);
    } else if (outcome.output != expected.output) {  // CHECK alone would print every byte of every case
      const auto [at, ignored] =
          std::mismatch(outcome.output.begin(), outcome.output.end(), expected.output.begin(), expected.output.end());
      INFO("first wrong byte: " << at - outcome.output.begin() << " of " << outcome.output.size() << ", expected "
                                << expected.output.size() << " bytes");
      if (expected.output.size() <= 128) {
        CHECK(outcome.output == expected.output);
      } else {
        FAIL_CHECK("the output has wrong bytes");
      }
    }
  }
  if (expected.status == GARNER_OUT_OF_BOUNDS) {
    CHECK(outcome.error.position == expected.position);
    if (expected.coordinate) CHECK(outcome.error.coordinate == *expected.coordinate);
    if (expected.axis) CHECK(outcome.error.axis == *expected.axis);
    if (expected.value) CHECK(outcome.error.value == *expected.value);
    if (expected.extent) CHECK(outcome.error.extent == *expected.extent);
    CHECK(outcome.error.argument == GARNER_ARGUMENT_INDICES);
  }
  if (expected.status != GARNER_OK) CHECK(std::strlen(outcome.error.text) > 0);
}

}  // namespace

garner_args arguments(const Problem& problem, void* output, size_t output_bytes) {
  garner_args args = arguments();
  args.data = problem.data.bytes.data();
  args.data_bytes = problem.data.bytes.size();
  args.indices = problem.indices.bytes.data();
  args.indices_bytes = problem.indices.bytes.size();
  args.output = output;
  args.output_bytes = output_bytes;
  return args;
}

Expected answer(Shape shape, Bytes output) {
  Expected expected;
  expected.shape = std::move(shape);
  expected.output = std::move(output);
  return expected;
}

Expected refusal(garner_status status) {
  Expected expected;
  expected.status = status;
  return expected;
}

Expected out_of_bounds(int64_t position) {
  Expected expected;
  expected.status = GARNER_OUT_OF_BOUNDS;
  expected.position = position;
  return expected;
}

Expected out_of_bounds(int64_t position, int32_t coordinate, int32_t axis, int64_t value, int64_t extent) {
  Expected expected = out_of_bounds(position);
  expected.coordinate = coordinate;
  expected.axis = axis;
  expected.value = value;
  expected.extent = extent;
  return expected;
}

Outcome run(const Route& route, const Problem& problem, int32_t threads) {
  return run_form(route, problem, threads, false);
}

Tally& Tally::operator+=(const Tally& other) {
  runs += other.runs;
  not_applied += other.not_applied;
  sharded += other.sharded;
  for (const auto& [route, count] : other.per_route) per_route[route] += count;
  return *this;
}

std::string to_text(const Tally& tally) {
  std::ostringstream text;
  text << tally.runs << " runs, " << tally.sharded << " of them in more than one shard, " << tally.not_applied
       << " did not apply;";
  for (const auto& [route, count] : tally.per_route) text << ' ' << route << '=' << count;
  text << "; cannot run here: " << absent_routes();
  return text.str();
}

Tally expect_everywhere(const Problem& problem, const Expected& expected) {
  Tally tally;
  Description automatic;
  for (const Route& route : routes()) {
    INFO("route " << name(route));
    for (int32_t threads : {1, 2, most_threads}) {
      INFO("threads " << threads);
      const Outcome outcome = run(route, problem, threads);
      if (route.path == GARNER_PATH_AUTO) automatic = outcome.description;
      if (!outcome.applied) {
        INFO("did not apply: " << outcome.why_not);
        CHECK(route.path != GARNER_PATH_SCALAR);
        if (route.path == GARNER_PATH_COPY) CHECK_FALSE(copy_must_take(automatic));
        if (route.path == GARNER_PATH_JIT && route.body == GARNER_BODY_LOADS) CHECK_FALSE(jit_must_take(automatic));
        ++tally.not_applied;
        break;  // the same for any number of threads
      }
      check(outcome, expected);
      ++tally.runs;
      ++tally.per_route[name(route)];
      if (described_number(outcome.description, "shards") > 1) ++tally.sharded;
    }
    const Outcome one_call = run_form(route, problem, 1, true);
    if (one_call.applied) {
      INFO("in one call");
      check(one_call, expected);
    }
  }
  return tally;
}

}  // namespace garner_test
