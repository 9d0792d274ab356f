// SPDX-License-Identifier: Apache-2.0
// The public C API with owners for its handles, and plans as facts.
#pragma once

#include <garner/garner.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "perf/library.h"
#include "perf/tensor.h"

namespace garner::perf {

// What a command forces; everything else is the library's choice.
struct Choice {
  int32_t path = GARNER_PATH_AUTO;
  int32_t body = GARNER_BODY_AUTO;
  int32_t isa = GARNER_ISA_AUTO;
  uint32_t disable = 0;
  int64_t llc_bytes = 0;
  int64_t min_shard_bytes = -1;
  bool silent = false;  // without the library's warnings
};

int32_t parse_path(std::string_view name);  // InputError when unknown; "" is automatic
int32_t parse_body(std::string_view name);
int32_t parse_isa(std::string_view name);

class Context {
 public:
  // Warnings of the library go to standard error. executor NULL: the library's own.
  // The library must outlive the context and its plans.
  explicit Context(const Choice& choice, const garner_executor* executor = nullptr,
                   const Library& library = own_library());
  ~Context() { functions_.context_destroy(handle_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  garner_context* handle() const { return handle_; }
  const Library& functions() const { return functions_; }

 private:
  const Library& functions_;
  garner_context* handle_ = nullptr;
};

class Plan {
 public:
  Plan() = default;
  ~Plan() { functions_->plan_destroy(handle_); }
  Plan(Plan&& other) noexcept : functions_(other.functions_), handle_(other.handle_) { other.handle_ = nullptr; }
  Plan& operator=(Plan&& other) noexcept {
    std::swap(functions_, other.functions_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  // Replaces the plan; an empty one when the status is not GARNER_OK.
  garner_status create(const Context& context, const garner_op& op, const Tensor& data, const Tensor& indices,
                       const Tensor* output, garner_error* error);
  garner_status execute(const garner_args& args, garner_error* error) const {
    return functions_->plan_execute(handle_, &args, error);
  }
  const garner_plan* handle() const { return handle_; }
  const Library& functions() const { return *functions_; }

 private:
  const Library* functions_ = &own_library();
  garner_plan* handle_ = nullptr;
};

// The `key=value` lines of garner_plan_describe.
class PlanFacts {
 public:
  PlanFacts() = default;
  PlanFacts(const Plan& plan, int32_t max_threads);
  std::string get(const std::string& key) const;  // "" when the plan has no such line
  int64_t number(const std::string& key) const;   // 0 likewise
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::map<std::string, std::string> values_;
};

// "OUT_OF_BOUNDS: indices[3] = ..."
std::string describe_error(garner_status status, const garner_error& error);

}  // namespace garner::perf
