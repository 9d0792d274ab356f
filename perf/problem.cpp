// SPDX-License-Identifier: Apache-2.0
#include "perf/problem.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

#include "perf/input_error.h"

namespace garner::perf {
namespace {

struct NamedOperator {
  std::string_view name;
  OperatorName value;
};

constexpr std::array named_operators = {
    NamedOperator{"gathernd", {GARNER_GATHER_ND_ONNX, false}},
    NamedOperator{"gathernd@onnx-11", {GARNER_GATHER_ND_ONNX, false}},
    NamedOperator{"gathernd@onnx-12", {GARNER_GATHER_ND_ONNX, false}},
    NamedOperator{"gathernd@onnx-13", {GARNER_GATHER_ND_ONNX, false}},
    NamedOperator{"gathernd@openvino-5", {GARNER_GATHER_ND_OPENVINO_5, false}},
    NamedOperator{"gathernd@openvino-8", {GARNER_GATHER_ND_OPENVINO_8, false}},
    NamedOperator{"gatherelements", {GARNER_GATHER_ELEMENTS_ONNX, true}},
    NamedOperator{"gatherelements@onnx-11", {GARNER_GATHER_ELEMENTS_ONNX, true}},
    NamedOperator{"gatherelements@onnx-13", {GARNER_GATHER_ELEMENTS_ONNX, true}},
};

struct NamedPattern {
  std::string_view name;
  Pattern::Kind kind;
  bool has_parameter;
};

constexpr std::array named_patterns = {
    NamedPattern{"uniform", Pattern::Kind::uniform, false},
    NamedPattern{"sequential", Pattern::Kind::sequential, false},
    NamedPattern{"reversed", Pattern::Kind::reversed, false},
    NamedPattern{"sorted", Pattern::Kind::sorted, false},
    NamedPattern{"permutation", Pattern::Kind::permutation, false},
    NamedPattern{"constant", Pattern::Kind::constant, false},
    NamedPattern{"rows", Pattern::Kind::rows, false},
    NamedPattern{"diagonal", Pattern::Kind::diagonal, false},
    NamedPattern{"zipf", Pattern::Kind::zipf, true},
    NamedPattern{"local", Pattern::Kind::local, true},
    NamedPattern{"strided", Pattern::Kind::strided, true},
    NamedPattern{"file", Pattern::Kind::file, true},
};

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A part of the string between colons, with the place where it begins.
struct Field {
  std::string_view text;
  size_t column;
};

class ProblemParser {
 public:
  explicit ProblemParser(std::string_view text) : text_(text) {}

  Problem parse() {
    split();
    parse_head();
    for (size_t i = 5; i < fields_.size(); ++i) parse_option(fields_[i]);
    return std::move(problem_);
  }

 private:
  [[noreturn]] void fail(size_t column, const std::string& why) const {
    throw InputError(
        fmt::format("malformed problem, column {}: {}\n  {}\n  {:>{}}", column + 1, why, text_, "^", column + 1));
  }

  void split() {
    for (const char c : text_) {
      if (c < 0x20 || c > 0x7e) throw InputError("malformed problem: it holds characters that are not printable ASCII");
    }
    size_t begin = 0;
    while (true) {
      const size_t end = text_.find(':', begin);
      fields_.push_back({text_.substr(begin, end == std::string_view::npos ? end : end - begin), begin});
      if (end == std::string_view::npos) break;
      begin = end + 1;
    }
  }

  void parse_head() {
    static constexpr std::array names = {"operator", "element type", "data shape", "index type", "indices shape"};
    const auto op = parse_operator(fields_[0].text);
    if (!op)
      fail(fields_[0].column, fmt::format("unknown operator '{}'; one of {}", fields_[0].text, operator_names()));
    problem_.operator_name = fields_[0].text;
    problem_.kind = op->kind;
    if (fields_.size() < names.size()) {
      fail(text_.size(),
           fmt::format("the {} is missing; the form is OP:dtype:data shape:index dtype:indices shape[:key=value]...",
                       names[fields_.size()]));
    }
    problem_.data_type = parse_type(fields_[1]);
    problem_.data_shape = parse_extents(fields_[2], fields_[2].column, false);
    problem_.index_type = parse_type(fields_[3]);
    problem_.indices_shape = parse_extents(fields_[4], fields_[4].column, false);
  }

  ElementType parse_type(const Field& field) const {
    const auto type = parse_element_type(field.text);
    if (!type)
      fail(field.column, fmt::format("unknown element type '{}'; one of {}", field.text, element_type_names()));
    return *type;
  }

  std::vector<int64_t> parse_extents(const Field& field, size_t column, bool allow_negative) const {
    std::vector<int64_t> extents;
    if (field.text == "scalar") return extents;
    const std::string_view text = field.text;
    size_t begin = 0;
    while (true) {
      const size_t end = text.find('x', begin);
      const std::string_view part = text.substr(begin, end == std::string_view::npos ? end : end - begin);
      const auto value = parse_number<int64_t>(part);
      if (!value)
        fail(column + begin,
             fmt::format("'{}' is not an integer of 64 bits; extents are joined by x, as in 64x64", part));
      if (*value < 0 && !allow_negative) fail(column + begin, fmt::format("an extent cannot be negative: {}", *value));
      extents.push_back(*value);
      if (end == std::string_view::npos) return extents;
      begin = end + 1;
    }
  }

  void parse_option(const Field& field) {
    const size_t equals = field.text.find('=');
    if (equals == std::string_view::npos)
      fail(field.column, fmt::format("'{}' is not of the form key=value", field.text));
    const std::string key(field.text.substr(0, equals));
    const Field value{field.text.substr(equals + 1), field.column + equals + 1};
    for (const std::string& earlier : keys_) {
      if (earlier == key) fail(field.column, fmt::format("'{}' is given twice", key));
    }
    keys_.push_back(key);
    if (key == "batch_dims") {
      if (problem_.is_gather_elements()) fail(field.column, "gatherelements has no batch_dims");
      problem_.batch_dims = parse_integer(value);
    } else if (key == "axis") {
      if (!problem_.is_gather_elements()) fail(field.column, "gathernd has no axis; it has batch_dims");
      problem_.axis = parse_integer(value);
    } else if (key == "bounds") {
      problem_.bounds =
          parse_word(value, {"error", "clamp", "zero"}, {GARNER_BOUNDS_ERROR, GARNER_BOUNDS_CLAMP, GARNER_BOUNDS_ZERO});
    } else if (key == "wrap") {
      problem_.negative = parse_word(value, {"on", "off"}, {GARNER_NEGATIVE_WRAP, GARNER_NEGATIVE_REJECT});
    } else if (key == "data_strides") {
      problem_.data_strides = parse_strides(value, problem_.data_shape.size());
    } else if (key == "indices_strides") {
      problem_.indices_strides = parse_strides(value, problem_.indices_shape.size());
    } else if (key == "output_strides") {
      problem_.output_strides =
          parse_extents(value, value.column, true);  // the output's rank is the library's to check
    } else if (key == "offset") {
      problem_.offset = parse_integer(value);
      if (problem_.offset < 0 || problem_.offset > (int64_t{1} << 30))
        fail(value.column, "offset is a number of bytes, 0..2^30");
    } else if (key == "pattern") {
      parse_pattern(value);
    } else if (key == "negative") {
      problem_.negative_fraction = parse_fraction(value);
    } else if (key == "bad") {
      problem_.bad_fraction = parse_fraction(value);
    } else if (key == "seed") {
      const auto seed = parse_number<uint64_t>(value.text);
      if (!seed) fail(value.column, fmt::format("'{}' is not a seed; a whole number, 0 or more", value.text));
      problem_.seed = *seed;
    } else {
      fail(field.column, fmt::format("unknown key '{}'; batch_dims, axis, bounds, wrap, data_strides, indices_strides, "
                                     "output_strides, offset, pattern, negative, bad, seed",
                                     key));
    }
  }

  int64_t parse_integer(const Field& value) const {
    const auto number = parse_number<int64_t>(value.text);
    if (!number) fail(value.column, fmt::format("'{}' is not an integer of 64 bits", value.text));
    return *number;
  }

  double parse_fraction(const Field& value) const {
    const auto number = parse_number<double>(value.text);
    if (!number || !(*number >= 0 && *number <= 1))
      fail(value.column, fmt::format("'{}' is not a fraction, 0..1", value.text));
    return *number;
  }

  int32_t parse_word(const Field& value, std::initializer_list<std::string_view> words,
                     std::initializer_list<int32_t> numbers) const {
    auto number = numbers.begin();
    std::string known;
    for (const std::string_view word : words) {
      if (word == value.text) return *number;
      ++number;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
    }
    fail(value.column, fmt::format("'{}' is none of {}", value.text, known));
  }

  std::vector<int64_t> parse_strides(const Field& value, size_t rank) const {
    std::vector<int64_t> strides = parse_extents(value, value.column, true);
    if (strides.size() != rank)
      fail(value.column, fmt::format("{} strides for a tensor of rank {}", strides.size(), rank));
    return strides;
  }

  void parse_pattern(const Field& value) {
    const size_t dash = value.text.find('-');
    const std::string_view name = value.text.substr(0, dash);
    for (const NamedPattern& pattern : named_patterns) {
      if (pattern.name != name) continue;
      problem_.pattern.kind = pattern.kind;
      if (!pattern.has_parameter) {
        if (dash != std::string_view::npos)
          fail(value.column + dash, fmt::format("the pattern {} has no parameter", name));
        return;
      }
      if (dash == std::string_view::npos || dash + 1 == value.text.size()) {
        fail(value.column,
             fmt::format("the pattern {0} needs a parameter: zipf-S, local-W, strided-N, file-PATH.npy", name));
      }
      const Field parameter{value.text.substr(dash + 1), value.column + dash + 1};
      if (pattern.kind == Pattern::Kind::file) {
        problem_.pattern.path = parameter.text;
        return;
      }
      const auto number = parse_number<double>(parameter.text);
      const double highest = pattern.kind == Pattern::Kind::zipf ? 100 : 1e15;
      if (!number || !(*number >= 0 && *number <= highest)) {
        fail(parameter.column, fmt::format("'{}' is not a number in 0..{:g}", parameter.text, highest));
      }
      if (pattern.kind != Pattern::Kind::zipf && *number != std::floor(*number))
        fail(parameter.column, "a whole number is needed");
      problem_.pattern.parameter = *number;
      return;
    }
    fail(value.column,
         fmt::format("unknown pattern '{}'; uniform, sequential, reversed, sorted, permutation, constant, rows, "
                     "diagonal, zipf-S, local-W, strided-N, file-PATH.npy",
                     value.text));
  }

  std::string_view text_;
  std::vector<Field> fields_;
  std::vector<std::string> keys_;
  Problem problem_;
};

std::string format_pattern(const Pattern& pattern) {
  for (const NamedPattern& named : named_patterns) {
    if (named.kind != pattern.kind) continue;
    if (pattern.kind == Pattern::Kind::file) return "file-" + pattern.path;
    return named.has_parameter ? fmt::format("{}-{}", named.name, pattern.parameter) : std::string(named.name);
  }
  return "uniform";
}

std::string format_strides(const std::vector<int64_t>& strides) {
  return strides.empty() ? "scalar" : fmt::format("{}", fmt::join(strides, "x"));
}

}  // namespace

std::optional<OperatorName> parse_operator(std::string_view name) {
  for (const NamedOperator& op : named_operators) {
    if (op.name == name) return op.value;
  }
  return std::nullopt;
}

const char* operator_names() {
  return "gathernd[@onnx-11|@onnx-12|@onnx-13|@openvino-5|@openvino-8], gatherelements[@onnx-11|@onnx-13]";
}

std::string format_shape(const std::vector<int64_t>& shape) { return format_strides(shape); }

Problem parse_problem(std::string_view text) { return ProblemParser(text).parse(); }

std::string format_problem(const Problem& problem) {
  std::string text = fmt::format("{}:{}:{}:{}:{}", problem.operator_name, short_name(problem.data_type),
                                 format_shape(problem.data_shape), short_name(problem.index_type),
                                 format_shape(problem.indices_shape));
  const auto add = [&text](std::string_view key, const auto& value) { text += fmt::format(":{}={}", key, value); };
  if (problem.batch_dims != 0) add("batch_dims", problem.batch_dims);
  if (problem.axis != 0) add("axis", problem.axis);
  if (problem.bounds == GARNER_BOUNDS_CLAMP) add("bounds", "clamp");
  if (problem.bounds == GARNER_BOUNDS_ZERO) add("bounds", "zero");
  if (problem.negative == GARNER_NEGATIVE_WRAP) add("wrap", "on");
  if (problem.negative == GARNER_NEGATIVE_REJECT) add("wrap", "off");
  if (problem.data_strides) add("data_strides", format_strides(*problem.data_strides));
  if (problem.indices_strides) add("indices_strides", format_strides(*problem.indices_strides));
  if (problem.output_strides) add("output_strides", format_strides(*problem.output_strides));
  if (problem.offset != 0) add("offset", problem.offset);
  if (problem.pattern.kind != Pattern::Kind::uniform) add("pattern", format_pattern(problem.pattern));
  if (problem.negative_fraction != 0) add("negative", problem.negative_fraction);
  if (problem.bad_fraction != 0) add("bad", problem.bad_fraction);
  if (problem.seed != 0) add("seed", problem.seed);
  return text;
}

NamedProblem named_problem(std::string name, std::string_view text) {
  Problem problem = parse_problem(text);
  if (name.empty()) name = text;
  return {std::move(name), std::string(text), std::move(problem)};
}

std::vector<NamedProblem> read_problem_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("{}: cannot be opened", path));
  std::vector<NamedProblem> problems;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.size(), line.find('#')));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    const size_t end = line.find_last_not_of(" \t\r") + 1;
    const size_t space = line.find_first_of(" \t", begin);
    try {
      if (space == std::string::npos || space >= end) {
        problems.push_back(named_problem("", std::string_view(line).substr(begin, end - begin)));
      } else {
        const size_t text = line.find_first_not_of(" \t", space);
        problems.push_back(
            named_problem(line.substr(begin, space - begin), std::string_view(line).substr(text, end - text)));
      }
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (file.bad()) throw InputError(fmt::format("{}: reading failed", path));
  if (problems.empty()) throw InputError(fmt::format("{}: holds no problem", path));
  return problems;
}

}  // namespace garner::perf
