// SPDX-License-Identifier: Apache-2.0
#include "perf/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "perf/input_error.h"

namespace garner::perf {
namespace {

struct Word {
  std::string_view name;
  int32_t value;
};

int32_t parse_word(std::string_view name, const char* what, std::initializer_list<Word> words) {
  std::string known;
  for (const Word& word : words) {
    if (word.name == name) return word.value;
    if (!word.name.empty()) known += fmt::format("{}{}", known.empty() ? "" : ", ", word.name);
  }
  throw InputError(fmt::format("unknown {} '{}'; one of {}", what, name, known));
}

void print_log(void*, const char* text) { fmt::print(stderr, "{}\n", text); }  // begins with "garner"

}  // namespace

int32_t parse_path(std::string_view name) {
  return parse_word(
      name, "path",
      {{"", GARNER_PATH_AUTO}, {"copy", GARNER_PATH_COPY}, {"jit", GARNER_PATH_JIT}, {"scalar", GARNER_PATH_SCALAR}});
}

int32_t parse_body(std::string_view name) {
  return parse_word(name, "gather body",
                    {{"", GARNER_BODY_AUTO},
                     {"table", GARNER_BODY_TABLE},
                     {"loads", GARNER_BODY_LOADS},
                     {"hardware", GARNER_BODY_HARDWARE}});
}

int32_t parse_isa(std::string_view name) {
  return parse_word(
      name, "ISA",
      {{"", GARNER_ISA_AUTO}, {"scalar", GARNER_ISA_SCALAR}, {"avx2", GARNER_ISA_AVX2}, {"avx512", GARNER_ISA_AVX512}});
}

Context::Context(const Choice& choice, const garner_executor* executor, const Library& library) : functions_(library) {
  garner_context_options options = GARNER_CONTEXT_OPTIONS_INIT;
  options.path = choice.path;
  options.body = choice.body;
  options.max_isa = choice.isa;
  options.disable = choice.disable;
  options.llc_bytes = choice.llc_bytes;
  options.min_shard_bytes = choice.min_shard_bytes;
  options.executor = executor;
  if (!choice.silent) options.log = print_log;
  garner_error error = GARNER_ERROR_INIT;
  const garner_status status = functions_.context_create(&options, &handle_, &error);
  if (status != GARNER_OK) throw InputError("no context: " + describe_error(status, error));
}

garner_status Plan::create(const Context& context, const garner_op& op, const Tensor& data, const Tensor& indices,
                           const Tensor* output, garner_error* error) {
  functions_->plan_destroy(handle_);
  functions_ = &context.functions();
  handle_ = nullptr;
  const garner_tensor data_view = data.view();
  const garner_tensor indices_view = indices.view();
  garner_tensor output_view = GARNER_TENSOR_INIT;
  if (output != nullptr) output_view = output->view();
  return functions_->plan_create(context.handle(), &op, &data_view, &indices_view,
                                 output == nullptr ? nullptr : &output_view, &handle_, error);
}

PlanFacts::PlanFacts(const Plan& plan, int32_t max_threads) {
  size_t needed = 0;
  plan.functions().plan_describe(plan.handle(), max_threads, nullptr, 0, &needed);
  std::vector<char> text(needed + 1);
  plan.functions().plan_describe(plan.handle(), max_threads, text.data(), text.size(), nullptr);
  text_ = text.data();
  size_t begin = 0;
  while (begin < text_.size()) {
    const size_t end = std::min(text_.find('\n', begin), text_.size());
    const std::string line = text_.substr(begin, end - begin);
    const size_t equals = line.find('=');
    if (equals != std::string::npos) values_[line.substr(0, equals)] = line.substr(equals + 1);
    begin = end + 1;
  }
}

std::string PlanFacts::get(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? "" : found->second;
}

int64_t PlanFacts::number(const std::string& key) const { return std::strtoll(get(key).c_str(), nullptr, 10); }

std::string describe_error(garner_status status, const garner_error& error) {
  return fmt::format("{}: {}", garner_status_name(status), error.text);
}

}  // namespace garner::perf
