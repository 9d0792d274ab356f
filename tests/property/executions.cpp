// SPDX-License-Identifier: Apache-2.0
#include "tests/property/executions.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/property/case_generator.h"
#include "tests/support/run.h"

namespace garner_test {
namespace {

constexpr size_t buffer_capacity = static_cast<size_t>(max_case_bytes) + 4096;

bool has_tuples(const GatherCase& c) {
  if (is_gather_elements(c)) return element_count(c.indices.shape) != 0;
  return element_count(Shape(c.indices.shape.begin(), c.indices.shape.end() - 1)) != 0;
}

// Plans for such an axis are the scalar path's alone, except where the first tuple ends the call.
bool only_scalar(const GatherCase& c) {
  if (c.bounds == GARNER_BOUNDS_ERROR) return false;
  const auto rank = static_cast<int64_t>(c.data.shape.size());
  const int64_t first = !is_gather_elements(c) ? c.batch_dims : c.axis < 0 ? c.axis + rank : c.axis;
  const int64_t depth = is_gather_elements(c) ? 1 : c.indices.shape.back();
  const auto begin = c.data.shape.begin() + first;
  return std::find(begin, begin + depth, 0) != begin + depth;
}

std::string check_shape(const GatherCase& c) {
  const Call call(c);
  Shape shape(GARNER_MAX_RANK);
  int32_t rank = -1;
  garner_error error = no_error();
  if (garner_infer_shape(&call.op, &call.data, &call.indices, shape.data(), GARNER_MAX_RANK, &rank, &error) !=
      GARNER_OK) {
    return std::string("garner_infer_shape: ") + error.text;
  }
  shape.resize(static_cast<size_t>(rank));
  return shape == model_output_shape(c) ? "" : "garner_infer_shape gave another shape";
}

std::string number(const char* name, int64_t got, int64_t expected) {
  if (got == expected) return "";
  return std::string(" ") + name + "=" + std::to_string(got) + " (expected " + std::to_string(expected) + ")";
}

// The other bodies take what suits them.
bool takes_all_of_jit(const Variant& variant) {
  return variant.route.path == GARNER_PATH_JIT && variant.route.body == GARNER_BODY_LOADS;
}

// Which of the words is a part of a kernel's name, as in gather_x32_loads_i64_k1_wrap_error_flat__avx2.
std::string word_of(const std::string& kernel, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    std::string part("_");
    part.append(word).append("_");
    if (kernel.find(part) != std::string::npos) return word;
  }
  return "?";
}

Variant make_variant(std::string label, const Route& route, uint32_t disable = 0, int64_t llc_bytes = 0) {
  garner_context_options options = options_for(route);
  options.disable = disable;
  options.llc_bytes = llc_bytes;
  return {std::move(label), route, make_context(options)};
}

}  // namespace

bool isa_runs(int32_t isa) {
  const char* wanted = std::getenv("GARNER_TEST_ISA");
  if (wanted != nullptr && std::strcmp(wanted, isa == GARNER_ISA_AVX2 ? "avx2" : "avx512") != 0) return false;
  const std::vector<Route>& all = routes();
  return std::any_of(all.begin(), all.end(), [isa](const Route& route) { return route.isa == isa; });
}

std::vector<Variant> make_variants() {
  constexpr uint32_t everything = GARNER_DISABLE_TABLE | GARNER_DISABLE_HARDWARE | GARNER_DISABLE_ROWS |
                                  GARNER_DISABLE_RUNS | GARNER_DISABLE_PREFETCH | GARNER_DISABLE_NT |
                                  GARNER_DISABLE_FOLDING | GARNER_DISABLE_SLICES;
  // What routes without an ISA of their own may use.
  const int32_t highest = isa_runs(GARNER_ISA_AVX512) ? GARNER_ISA_AVX512
                          : isa_runs(GARNER_ISA_AVX2) ? GARNER_ISA_AVX2
                                                      : GARNER_ISA_SCALAR;
  std::vector<Variant> variants;
  for (Route route : routes()) {
    if ((route.isa == GARNER_ISA_AVX2 || route.isa == GARNER_ISA_AVX512) && !isa_runs(route.isa)) continue;
    const std::string label = name(route);
    if (route.isa == GARNER_ISA_AUTO) route.isa = highest;
    variants.push_back(make_variant(label, route));
    if (route.path == GARNER_PATH_AUTO) variants.push_back(make_variant(label + "-plain", route, everything));
    if (route.path == GARNER_PATH_COPY && route.isa != GARNER_ISA_SCALAR) {
      variants.push_back(make_variant(label + "-movers", route, GARNER_DISABLE_SLICES));
    }
    // With such a cache every output is streamed past it.
    if (route.path == GARNER_PATH_COPY) variants.push_back(make_variant(label + "-tiny-cache", route, 0, 4096));
    if (route.path == GARNER_PATH_JIT && route.body == GARNER_BODY_LOADS) {
      variants.push_back(make_variant(label + "-plain", route, GARNER_DISABLE_ROWS | GARNER_DISABLE_FOLDING));
    }
  }
  return variants;
}

std::string Counters::text() const {
  std::string text = std::to_string(executions) + " executions, " + std::to_string(sharded) +
                     " in more than one shard, " + std::to_string(out_of_bounds) + " out of bounds, " +
                     std::to_string(refused_buffers) + " short buffers";
  for (const auto* group : {&by_kernel, &by_lanes, &by_variant}) {
    text += "\n ";
    for (const auto& [name, count] : *group) text += " " + name + ": " + std::to_string(count) + ";";
  }
  return text;
}

std::string Executions::Placement::text() const {
  const auto one = [](const char* name, Edge edge, size_t gap) {
    return std::string(name) + (edge == Edge::low ? " starts " : " ends ") + std::to_string(gap) +
           " bytes from a guard page";
  };
  return one("data", data, data_gap) + ", " + one("indices", indices, index_gap) + ", " +
         one("output", output, output_gap);
}

Executions::Executions()
    : variants_(make_variants()), data_(buffer_capacity), indices_(buffer_capacity), output_(buffer_capacity) {}

Executions::Placement Executions::next_placement(Random& random) {
  const uint64_t turn = placements_++;
  const auto edge = [turn](int bit) { return (turn >> bit & 1) != 0 ? Edge::low : Edge::high; };
  const auto gap = [&random] { return static_cast<size_t>(random.chance(0.7) ? 0 : random.between(1, 63)); };
  return {edge(0), edge(1), edge(2), gap(), gap(), gap()};
}

garner_args Executions::place(const GatherCase& c, const Placement& placement, int32_t threads) {
  std::copy(c.data_bytes.begin(), c.data_bytes.end(),
            data_.place(c.data_bytes.size(), placement.data, placement.data_gap));
  std::copy(c.index_bytes.begin(), c.index_bytes.end(),
            indices_.place(c.index_bytes.size(), placement.indices, placement.index_gap));
  std::copy(before_.begin(), before_.end(), output_.place(before_.size(), placement.output, placement.output_gap));
  data_.make_read_only();
  indices_.make_read_only();
  garner_args args = arguments();
  args.max_threads = threads;
  args.data = data_.data();
  args.data_bytes = data_.size();
  args.indices = indices_.data();
  args.indices_bytes = indices_.size();
  args.output = output_.data();
  args.output_bytes = output_.size();
  return args;
}

std::string Executions::judge(const GatherCase& c, const ModelResult& expected, garner_status status,
                              const garner_error& error) const {
  std::string wrong;
  if (status != expected.status) {
    return std::string(" status ") + garner_status_name(status) + " (expected " + garner_status_name(expected.status) +
           ") " + error.text;
  }
  if (error.status != status) wrong += number("error.status", error.status, status);
  if (status == GARNER_OUT_OF_BOUNDS) {
    wrong += number("argument", error.argument, GARNER_ARGUMENT_INDICES);
    wrong += number("position", error.position, expected.position);
    wrong += number("coordinate", error.coordinate, expected.coordinate);
    wrong += number("axis", error.axis, expected.axis);
    wrong += number("value", error.value, expected.value);
    wrong += number("extent", error.extent, expected.extent);
    wrong += number("index_dtype", error.index_dtype, c.index_dtype);
    if (error.text[0] == '\0') wrong += " no text";
  }
  for (size_t i = 0; i < expected.output.size(); ++i) {
    // After a failure the elements may hold anything; the bytes between them may not.
    const std::byte right = status == GARNER_OK ? expected.output[i] : before_[i];
    if (output_.data()[i] == right || (status != GARNER_OK && expected.covered[i] != 0)) continue;
    wrong += std::string(expected.covered[i] != 0 ? " element" : " padding") +
             number("byte", static_cast<int64_t>(output_.data()[i]), static_cast<int64_t>(right)) + " at " +
             std::to_string(i) + " of " + std::to_string(expected.output.size());
    break;
  }
  if (!output_.surroundings_intact()) wrong += " bytes around the output were written";
  return wrong;
}

std::string Executions::execute(const GatherCase& c, const ModelResult& expected, const garner_plan* plan,
                                const Placement& placement, int32_t threads) {
  garner_args args = place(c, placement, threads);
  if (!has_tuples(c)) {
    args.data = args.indices = args.output = nullptr;
    args.data_bytes = args.indices_bytes = args.output_bytes = 0;
  }
  garner_error error = no_error();
  const garner_status status = garner_plan_execute(plan, &args, &error);
  return judge(c, expected, status, error);
}

// Each buffer in turn one byte shorter than what the tensor touches: refused before anything is read or written.
std::string Executions::refuse_short_buffers(const GatherCase& c, const garner_plan* plan, const Placement& placement) {
  if (!has_tuples(c)) return "";
  const bool copies = element_count(c.output.shape) != 0;
  std::string wrong;
  for (int which = 0; which < 3; ++which) {
    const TensorCase& tensor = which == 0 ? c.data : which == 1 ? c.indices : c.output;
    if (element_count(tensor.shape) == 0 || (which != 1 && !copies)) continue;
    garner_args args = place(c, placement, 2);
    size_t& bytes = which == 0 ? args.data_bytes : which == 1 ? args.indices_bytes : args.output_bytes;
    bytes = static_cast<size_t>(tensor.byte_offset + touched_bytes(tensor).high - 1);
    garner_error error = no_error();
    const garner_status status = garner_plan_execute(plan, &args, &error);
    const int32_t argument = which == 0   ? GARNER_ARGUMENT_DATA
                             : which == 1 ? GARNER_ARGUMENT_INDICES
                                          : GARNER_ARGUMENT_OUTPUT;
    if (status != GARNER_INVALID_ARGUMENT || error.argument != argument) {
      wrong += std::string(" short buffer ") + std::to_string(which) + ": " + garner_status_name(status) +
               number("argument", error.argument, argument) + " " + error.text;
    }
    if (!std::equal(before_.begin(), before_.end(), output_.data())) wrong += " written in spite of a short buffer";
    ++counters_.refused_buffers;
  }
  return wrong;
}

void Executions::count(const Variant& variant, const Description& description) {
  const auto value = [&description](const char* key) {
    const auto found = description.find(key);
    return found == description.end() ? std::string("?") : found->second;
  };
  ++counters_.executions;
  ++counters_.by_variant[variant.label];
  const std::string path = value("path");
  const std::string kernel = value("kernel");
  if (path == "jit") {
    const std::string isa = value("isa");
    ++counters_.by_kernel[value("body") + " " + word_of(kernel, {"x8", "x16", "x32", "x64", "x128"}) + " " + isa];
    ++counters_.by_lanes[word_of(kernel, {"flat", "unit", "step", "folded", "strided"}) + " " + isa];
    if (word_of(kernel, {"rows"}) != "?") ++counters_.by_lanes["rows " + isa];
  } else {
    ++counters_.by_kernel[path == "copy" ? "copy " + value("isa") : path];
  }
  if (described_number(description, "shards") > 1) ++counters_.sharded;
}

std::vector<std::string> Executions::run(const GatherCase& c, Random& random) {
  std::vector<std::string> failures;
  const auto report = [&failures](const std::string& where, const std::string& what) {
    if (!what.empty()) failures.push_back(where + ":" + what);
  };
  report("shape", check_shape(c));
  before_.resize(static_cast<size_t>(c.output.buffer_bytes));
  for (size_t i = 0; i < before_.size(); ++i) before_[i] = static_cast<std::byte>(0xA5 + 37 * i);
  const ModelResult expected = run_model(c, before_);
  if (expected.status == GARNER_OUT_OF_BOUNDS) ++counters_.out_of_bounds;

  const Call call(c);
  Description automatic;
  for (const Variant& variant : variants_) {
    garner_plan* created = nullptr;
    garner_error error = no_error();
    const garner_status status = garner_plan_create(variant.context.get(), &call.op, &call.data, &call.indices,
                                                    call.output_or_null(), &created, &error);
    const PlanHandle plan(created);
    if (status != GARNER_OK) {
      const bool must = variant.route.path == GARNER_PATH_AUTO || variant.route.path == GARNER_PATH_SCALAR ||
                        (variant.route.path == GARNER_PATH_COPY && !only_scalar(c) && copy_must_take(automatic)) ||
                        (takes_all_of_jit(variant) && !only_scalar(c) && jit_must_take(automatic));
      if (status != GARNER_UNSUPPORTED || must) report(variant.label, std::string(" plan refused: ") + error.text);
      continue;
    }
    for (const int32_t threads : {1, 2, most_threads}) {
      const Description description = describe(plan.get(), threads);
      if (variant.label == "auto") automatic = description;
      const std::string deviated = deviation(variant.route, description);
      if (!deviated.empty()) {
        if (variant.route.path != GARNER_PATH_JIT || takes_all_of_jit(variant))
          report(variant.label, " the plan took " + deviated);
        break;
      }
      const Placement placement = next_placement(random);
      const std::string where = variant.label + ", " + std::to_string(threads) + " threads, " +
                                description.at("kernel") + ", shards=" + description.at("shards") + ", " +
                                placement.text();
      report(where, execute(c, expected, plan.get(), placement, threads));
      count(variant, description);
    }
    if (random.chance(0.1)) report(variant.label, refuse_short_buffers(c, plan.get(), next_placement(random)));
  }
  return failures;
}

}  // namespace garner_test
