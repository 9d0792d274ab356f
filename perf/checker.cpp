// SPDX-License-Identifier: Apache-2.0
#include "perf/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "perf/input_error.h"
#include "runtime/cpu.h"

namespace garner::perf {
namespace {

constexpr int32_t thread_counts[] = {1, 2, 7};
constexpr size_t canary_bytes = 128;
constexpr std::byte canary{0xa5};

// Room for an output with canaries around it.
class GuardedOutput {
 public:
  explicit GuardedOutput(int64_t bytes) : bytes_(to_size(bytes) + 2 * canary_bytes, canary) {}
  std::byte* data() { return bytes_.data() + canary_bytes; }
  const std::byte* data() const { return bytes_.data() + canary_bytes; }
  size_t size() const { return bytes_.size() - 2 * canary_bytes; }
  bool canaries_intact() const {
    const auto intact = [](std::byte b) { return b == canary; };
    return std::all_of(bytes_.begin(), bytes_.begin() + canary_bytes, intact) &&
           std::all_of(bytes_.end() - canary_bytes, bytes_.end(), intact);
  }

 private:
  std::vector<std::byte> bytes_;
};

int32_t assign_string(void*, void* dst, const void* src) {
  auto& text = *static_cast<std::string*>(dst);
  if (src == nullptr) {
    text.clear();
  } else {
    text = *static_cast<const std::string*>(src);
  }
  return 0;
}

garner_string_view view_at(const std::byte* bytes, size_t i) {
  garner_string_view view;
  std::memcpy(&view, bytes + i * sizeof view, sizeof view);
  return view;
}

bool same_text(const garner_string_view& view, const std::string& text) {
  return view.size == text.size() && (text.empty() || std::memcmp(view.data, text.data(), text.size()) == 0);
}

int64_t flat_position(const std::vector<int64_t>& at, const std::vector<int64_t>& shape) {
  int64_t position = 0;
  for (size_t i = 0; i < at.size() && i < shape.size(); ++i) position = position * shape[i] + at[i];
  return position;
}

}  // namespace

struct Checker::Outcome {
  garner_status status = GARNER_OK;
  garner_error error = GARNER_ERROR_INIT;
  bool planned = false;

  std::string text() const { return status == GARNER_OK ? "OK" : describe_error(status, error); }
  // Everything that must not depend on path, ISA and threads.
  bool operator==(const Outcome& other) const {
    if (status != other.status) return false;
    if (status != GARNER_OUT_OF_BOUNDS) return true;
    const auto detail = [](const garner_error& e) {
      return std::tuple(e.argument, e.coordinate, e.axis, e.index_dtype, e.position, e.value, e.extent,
                        std::string(e.text));
    };
    return detail(error) == detail(other.error);
  }
};

// One case on all variants.
class Checker::CaseRun {
 public:
  CaseRun(Checker& checker, const GatherCase& gather_case) : checker_(checker), case_(gather_case) {}

  Result run() {
    Plan plan;
    reference_ = plan_on(*checker_.reference_, plan);
    if (reference_.planned) {
      output_ = case_.output ? *case_.output : inferred_output(case_.op, case_.data, case_.indices);
      reference_bytes_ = std::make_unique<GuardedOutput>(output_.buffer_bytes());
      execute(plan, 1, *reference_bytes_, reference_);
      if (!reference_bytes_->canaries_intact()) fault("scalar path, 1 thread: bytes outside the output were written");
    }
    compare_with_expectation();
    for (Variant& variant : checker_.variants_) {
      if (variant.context) run_variant(variant);
    }
    if (case_.data.type.dtype == GARNER_STRING) run_owning();
    return {std::move(faults_), reference_.planned ? "" : reference_.text()};
  }

 private:
  void fault(std::string text) { faults_.push_back(std::move(text)); }

  Outcome plan_on(const Context& context, Plan& plan) const {
    Outcome outcome;
    outcome.status = plan.create(context, case_.op, case_.data, case_.indices, case_.output ? &*case_.output : nullptr,
                                 &outcome.error);
    outcome.planned = outcome.status == GARNER_OK;
    return outcome;
  }

  garner_args arguments(int32_t threads, garner_executor& executor) const {
    garner_args args = GARNER_ARGS_INIT;
    args.max_threads = threads;
    args.data = case_.data_bytes.data();
    args.data_bytes = case_.data_bytes.size();
    args.indices = case_.index_bytes.data();
    args.indices_bytes = case_.index_bytes.size();
    if (threads > 1) {
      executor = checker_.teams_[threads == 2 ? 0 : 1]->executor();
      args.executor = &executor;
    }
    return args;
  }

  void execute(const Plan& plan, int32_t threads, GuardedOutput& output, Outcome& outcome) const {
    garner_executor executor;
    garner_args args = arguments(threads, executor);
    args.output = output.data();
    args.output_bytes = output.size();
    outcome.status = garner_plan_execute(plan.handle(), &args, &outcome.error);
  }

  void compare_with_expectation() {
    if (!case_.expected) return;
    const Expectation& expected = *case_.expected;
    if (!expected.errors.empty()) {
      if (std::find(expected.errors.begin(), expected.errors.end(), reference_.status) == expected.errors.end()) {
        fault(fmt::format("expected {}, got {}", garner_status_name(expected.errors[0]), reference_.text()));
        return;
      }
      if (!expected.at || reference_.status != GARNER_OUT_OF_BOUNDS) return;
      std::vector<int64_t> space = case_.indices.shape;
      if (case_.op.kind != GARNER_GATHER_ELEMENTS_ONNX) space.pop_back();
      const int64_t position = flat_position(*expected.at, space);
      if (reference_.error.position != position) {
        fault(fmt::format("expected the failure at position {}, got {}: {}", position, reference_.error.position,
                          reference_.text()));
      }
      return;
    }
    if (reference_.status != GARNER_OK) {
      fault(fmt::format("expected an output of shape {}, got {}", format_shape(expected.shape), reference_.text()));
    } else if (output_.shape != expected.shape) {
      fault(fmt::format("expected the shape {}, got {}", format_shape(expected.shape), format_shape(output_.shape)));
    } else if (case_.data.type.dtype == GARNER_STRING) {
      for (size_t i = 0; i < expected.strings.size(); ++i) {
        if (!same_text(view_at(reference_bytes_->data(), i), expected.strings[i]))
          return fault(fmt::format("string {} is not the expected one", i));
      }
    } else if (expected.bytes.size() != reference_bytes_->size() ||
               std::memcmp(expected.bytes.data(), reference_bytes_->data(), expected.bytes.size()) != 0) {
      fault("the output is not the expected one");
    }
  }

  static std::string label(const Variant& variant, int32_t threads) {
    std::string text = variant.path;
    for (const std::string* part : {&variant.body, &variant.isa, &variant.note}) {
      if (!part->empty()) text += " " + *part;
    }
    return fmt::format("{}, {} thread{}", text, threads, threads == 1 ? "" : "s");
  }

  static bool took(const Variant& variant, const PlanFacts& facts) {
    const auto matches = [](const std::string& wanted, const std::string& got) {
      return wanted.empty() || wanted == got;
    };
    return variant.path == "default" ||
           (facts.get("path") == variant.path && matches(variant.body, facts.get("body")) &&
            matches(variant.isa, facts.get("isa")));
  }

  void run_variant(Variant& variant) {
    Plan plan;
    Outcome outcome = plan_on(*variant.context, plan);
    if (!reference_.planned || !outcome.planned) {
      if (reference_.planned && outcome.status == GARNER_UNSUPPORTED) {
        ++variant.not_applicable;
        return;
      }
      if (outcome == reference_) {
        ++variant.refused;
      } else {
        fault(fmt::format("{}: planning gave {}, the scalar path {}", label(variant, 1), outcome.text(),
                          reference_.text()));
      }
      return;
    }
    if (!took(variant, PlanFacts(plan, 1))) {
      ++variant.not_applicable;
      return;
    }
    ++variant.cases;
    for (const int32_t threads : thread_counts) {
      GuardedOutput output(output_.buffer_bytes());
      execute(plan, threads, output, outcome);
      ++variant.runs;
      if (threads > 1 && PlanFacts(plan, threads).number("shards") > 1) ++variant.sharded;
      compare_with_reference(label(variant, threads), outcome, output);
    }
  }

  void compare_with_reference(const std::string& where, const Outcome& outcome, const GuardedOutput& output) {
    if (!output.canaries_intact()) fault(where + ": bytes outside the output were written");
    if (!(outcome == reference_)) {
      fault(fmt::format("{}: {}, but the scalar path gave {}", where, outcome.text(), reference_.text()));
      return;
    }
    if (outcome.status != GARNER_OK) return;
    const std::byte* got = output.data();
    const std::byte* right = reference_bytes_->data();
    if (output.size() == 0 || std::memcmp(got, right, output.size()) == 0) return;
    const auto place = std::mismatch(got, got + output.size(), right).first - got;
    fault(fmt::format("{}: output byte {} of {} differs", where, place, output.size()));
  }

  // The host's own string type: std::string, copied by a callback.
  void run_owning() {
    Variant& variant = checker_.owning_;
    const bool dense = case_.data.is_dense() && case_.data.byte_offset == 0 && !case_.output;
    if (!reference_.planned || !dense) {
      ++variant.not_applicable;
      return;
    }
    ++variant.cases;
    Tensor data = case_.data;
    data.type.element_bytes = sizeof(std::string);
    std::vector<std::string> source;
    for (int64_t i = 0; i < data.element_count(); ++i) {
      const garner_string_view view = view_at(case_.data_bytes.data(), to_size(i));
      source.emplace_back(view.size == 0 ? "" : view.data, view.size);
    }
    Plan plan;
    Outcome outcome;
    outcome.status = plan.create(*checker_.reference_, case_.op, data, case_.indices, nullptr, &outcome.error);
    if (outcome.status != GARNER_OK) {
      fault(fmt::format("owning strings: planning gave {}", outcome.text()));
      return;
    }
    for (const int32_t threads : thread_counts) {
      std::vector<std::string> output(to_size(output_.element_count()), "not written");
      garner_executor executor;
      garner_args args = arguments(threads, executor);
      args.data = source.data();
      args.data_bytes = source.size() * sizeof(std::string);
      args.output = output.data();
      args.output_bytes = output.size() * sizeof(std::string);
      args.copy = assign_string;
      outcome.status = garner_plan_execute(plan.handle(), &args, &outcome.error);
      ++variant.runs;
      if (!(outcome == reference_)) {
        fault(fmt::format("{}: {}, but views gave {}", label(variant, threads), outcome.text(), reference_.text()));
        continue;
      }
      for (size_t i = 0; outcome.status == GARNER_OK && i < output.size(); ++i) {
        if (same_text(view_at(reference_bytes_->data(), i), output[i])) continue;
        fault(fmt::format("{}: string {} differs", label(variant, threads), i));
        break;
      }
    }
  }

  Checker& checker_;
  const GatherCase& case_;
  Outcome reference_;
  Tensor output_;
  std::unique_ptr<GuardedOutput> reference_bytes_;
  std::vector<std::string> faults_;
};

Checker::Checker() {
  const Isa isa = detect_cpu().isa;
  has_avx2_ = isa >= Isa::avx2;
  has_avx512_ = isa >= Isa::avx512;
  teams_[0] = std::make_unique<ThreadTeam>(2, 0);
  teams_[1] = std::make_unique<ThreadTeam>(7, 0);
  Choice scalar;
  scalar.path = GARNER_PATH_SCALAR;
  scalar.min_shard_bytes = 0;
  const garner_executor executor = teams_[1]->executor();
  reference_ = std::make_unique<Context>(scalar, &executor);

  add("scalar", "", "", "", {});
  Choice movers;  // the copy path without emitted kernels
  movers.disable = GARNER_DISABLE_SLICES;
  for (const char* level : {"avx2", "avx512"}) add("copy", "", level, "", {});
  for (const char* level : {"scalar", "avx2", "avx512"}) add("copy", "", level, "movers", movers);
  for (const char* body : {"loads", "hardware", "table"}) {
    for (const char* level : {"avx2", "avx512"}) add("jit", body, level, "", {});
  }
  add("default", "", "", "", {});
  Choice plain;  // the same answer with each optimisation off
  plain.disable = GARNER_DISABLE_TABLE | GARNER_DISABLE_HARDWARE | GARNER_DISABLE_ROWS | GARNER_DISABLE_RUNS |
                  GARNER_DISABLE_PREFETCH | GARNER_DISABLE_NT | GARNER_DISABLE_FOLDING | GARNER_DISABLE_SLICES;
  add("default", "", "", "all disabled", plain);
  Choice tiny_cache;  // small outputs, too, take the stores and prefetches of large ones
  tiny_cache.llc_bytes = 1;
  add("default", "", "", "tiny cache", tiny_cache);
  add("copy", "", "", "tiny cache", tiny_cache);
  owning_.path = "scalar";
  owning_.note = "owning strings";
}

void Checker::add(const char* path, const char* body, const char* isa, const char* note, Choice choice) {
  Variant variant;
  variant.path = path;
  variant.body = body;
  variant.isa = isa;
  variant.note = note;
  const bool lacks = (variant.isa == "avx2" && !has_avx2_) || (variant.isa == "avx512" && !has_avx512_);
  if (!lacks) {
    choice.path = parse_path(variant.path == "default" ? "" : variant.path);
    choice.body = parse_body(body);
    choice.isa = parse_isa(isa);
    choice.min_shard_bytes = 0;
    const garner_executor executor = teams_[1]->executor();
    variant.context = std::make_unique<Context>(choice, &executor);
  }
  variants_.push_back(std::move(variant));
}

Checker::Result Checker::check(const GatherCase& gather_case) { return CaseRun(*this, gather_case).run(); }

int64_t Checker::runs() const {
  int64_t runs = owning_.runs;
  for (const Variant& variant : variants_) runs += variant.runs;
  return runs;
}

void Checker::print_counts() const {
  fmt::print("\n{:<9}{:<10}{:<8}{:<16}{:>9}{:>9}{:>10}{:>10}{:>16}\n", "path", "body", "ISA", "", "cases", "runs",
             "sharded", "refused", "did not apply");
  const auto print = [](const Variant& v) {
    fmt::print("{:<9}{:<10}{:<8}{:<16}{:>9}{:>9}{:>10}{:>10}{:>16}\n", v.path, v.body, v.isa, v.note, v.cases, v.runs,
               v.sharded, v.refused, v.not_applicable);
  };
  for (const Variant& variant : variants_) {
    if (variant.context) print(variant);
  }
  if (owning_.cases + owning_.not_applicable > 0) print(owning_);
  if (!has_avx2_) fmt::print("avx2: not run, this CPU does not have it\n");
  if (!has_avx512_) fmt::print("avx512: not run, this CPU does not have it\n");
  fmt::print("Each case ran at 1, 2 and 7 threads wherever it applied; sharded: runs cut into more than one shard.\n");
}

}  // namespace garner::perf
