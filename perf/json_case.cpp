// SPDX-License-Identifier: Apache-2.0
#include "perf/json_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "perf/input_error.h"

namespace garner::perf {
namespace {

using Json = nlohmann::json;

struct NamedDtype {
  const char* name;
  garner_dtype dtype;
};

constexpr NamedDtype named_dtypes[] = {
    {"bool", GARNER_BOOL},           {"int8", GARNER_INT8},
    {"uint8", GARNER_UINT8},         {"int16", GARNER_INT16},
    {"uint16", GARNER_UINT16},       {"int32", GARNER_INT32},
    {"uint32", GARNER_UINT32},       {"int64", GARNER_INT64},
    {"uint64", GARNER_UINT64},       {"float16", GARNER_FLOAT16},
    {"bfloat16", GARNER_BFLOAT16},   {"float32", GARNER_FLOAT32},
    {"float64", GARNER_FLOAT64},     {"string", GARNER_STRING},
    {"complex64", GARNER_COMPLEX64}, {"complex128", GARNER_COMPLEX128},
};

// A field by its path from the root of the line, as in "data.shape".
const Json& field(const Json& root, const std::string& path) {
  const Json* place = &root;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    if (!place->is_object())
      throw InputError(begin == 0 ? "is not a JSON object"
                                  : fmt::format("the field '{}' is not an object", path.substr(0, begin - 1)));
    const auto found = place->find(path.substr(begin, end - begin));
    if (found == place->end()) throw InputError(fmt::format("the field '{}' is missing", path.substr(0, end)));
    place = &*found;
    begin = end + 1;
  }
  return *place;
}

std::string text_field(const Json& root, const std::string& path) {
  const Json& value = field(root, path);
  if (!value.is_string()) throw InputError(fmt::format("the field '{}' is not a string", path));
  return value.get<std::string>();
}

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

double read_real(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string word = value.get<std::string>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  throw InputError(fmt::format("'{}' is not a number", word));
}

// Values of the cases are exact in their type, so rounding never happens; anything else is a mistake in the file.
uint16_t to_float16(double value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return 0x7e00;
  if (std::isinf(value)) return static_cast<uint16_t>(sign | 0x7c00);
  const double magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
  const int step = std::max(exponent - 11, -24);
  const double units = std::ldexp(magnitude, -step);
  if (units != std::floor(units) || exponent > 16) throw InputError(fmt::format("{} is not exact in float16", value));
  const auto whole = static_cast<uint32_t>(units);
  // A normal value has 1024 <= whole < 2048 and adds its hidden bit to the exponent field.
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>((step + 24) << 10) + whole));
}

uint16_t to_bfloat16(double value) {
  const auto narrow = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  if (!std::isnan(value) && (bits & 0xffff) != 0) throw InputError(fmt::format("{} is not exact in bfloat16", value));
  return static_cast<uint16_t>(bits >> 16);
}

template <class T>
T read_integer(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto wide = value.get<uint64_t>();
    if (wide <= static_cast<uint64_t>(std::numeric_limits<T>::max())) return static_cast<T>(wide);
  } else if (value.is_number_integer()) {
    const auto wide = value.get<int64_t>();
    if (std::is_signed_v<T> && wide >= int64_t{std::numeric_limits<std::make_signed_t<T>>::min()})
      return static_cast<T>(wide);
  }
  throw InputError(fmt::format("{} is not an integer of {} bytes", value.dump(), sizeof(T)));
}

void append_value(std::vector<std::byte>& bytes, garner_dtype dtype, const Json& value) {
  switch (dtype) {
    case GARNER_BOOL: append(bytes, static_cast<uint8_t>(value.get<bool>())); break;
    case GARNER_INT8: append(bytes, read_integer<int8_t>(value)); break;
    case GARNER_UINT8: append(bytes, read_integer<uint8_t>(value)); break;
    case GARNER_INT16: append(bytes, read_integer<int16_t>(value)); break;
    case GARNER_UINT16: append(bytes, read_integer<uint16_t>(value)); break;
    case GARNER_INT32: append(bytes, read_integer<int32_t>(value)); break;
    case GARNER_UINT32: append(bytes, read_integer<uint32_t>(value)); break;
    case GARNER_INT64: append(bytes, read_integer<int64_t>(value)); break;
    case GARNER_UINT64: append(bytes, read_integer<uint64_t>(value)); break;
    case GARNER_FLOAT16: append(bytes, to_float16(read_real(value))); break;
    case GARNER_BFLOAT16: append(bytes, to_bfloat16(read_real(value))); break;
    case GARNER_FLOAT32: append(bytes, static_cast<float>(read_real(value))); break;
    case GARNER_FLOAT64: append(bytes, read_real(value)); break;
    case GARNER_COMPLEX64:
      append(bytes, static_cast<float>(read_real(value.at(0))));
      append(bytes, static_cast<float>(read_real(value.at(1))));
      break;
    default:
      append(bytes, read_real(value.at(0)));
      append(bytes, read_real(value.at(1)));
      break;
  }
}

std::vector<std::byte> read_values(garner_dtype dtype, const Json& values) {
  std::vector<std::byte> bytes;
  for (const Json& value : values) append_value(bytes, dtype, value);
  return bytes;
}

std::vector<int64_t> read_extents(const Json& extents) {
  std::vector<int64_t> result;
  for (const Json& extent : extents) result.push_back(read_integer<int64_t>(extent));
  return result;
}

Tensor read_tensor(const Json& root, const std::string& key, std::vector<std::byte>& bytes,
                   std::deque<std::string>& characters) {
  Tensor tensor;
  const std::string name = text_field(root, key + ".dtype");
  const NamedDtype* found = nullptr;
  for (const NamedDtype& named : named_dtypes) {
    if (name == named.name) found = &named;
  }
  if (found == nullptr) throw InputError(fmt::format("unknown dtype '{}'", name));
  tensor.type = {found->dtype, 0};
  tensor.shape = read_extents(field(root, key + ".shape"));
  const Json& values = field(root, key + ".values");
  if (to_int(values.size()) != tensor.element_count()) {
    throw InputError(fmt::format("{} values for the shape {}", values.size(), format_shape(tensor.shape)));
  }
  if (found->dtype == GARNER_STRING) {
    for (const Json& value : values) {
      const std::string& text = characters.emplace_back(value.get<std::string>());
      append(bytes, garner_string_view{text.data(), text.size()});
    }
  } else {
    bytes = read_values(found->dtype, values);
  }
  return tensor;
}

// The kinds of the files beside the library's statuses.
garner_status status_of(const std::string& kind) {
  if (kind == "index_out_of_bounds") return GARNER_OUT_OF_BOUNDS;
  if (kind == "invalid_shape") return GARNER_INVALID_SHAPE;
  if (kind == "invalid_axis" || kind == "invalid_batch_dims") return GARNER_INVALID_ARGUMENT;
  if (kind == "unsupported_type") return GARNER_UNSUPPORTED;
  throw InputError(fmt::format("unknown error kind '{}'", kind));
}

Expectation read_expectation(const Json& root, garner_dtype dtype) {
  const Json& json = field(root, "expect");
  Expectation expected;
  if (json.contains("error")) {
    expected.errors.push_back(status_of(json["error"].get<std::string>()));
    if (json.contains("also")) {
      for (const Json& kind : json["also"]) expected.errors.push_back(status_of(kind.get<std::string>()));
    }
    if (json.contains("at")) expected.at = read_extents(json["at"]);
    return expected;
  }
  expected.shape = read_extents(field(root, "expect.output.shape"));
  const Json& values = field(root, "expect.output.values");
  if (dtype == GARNER_STRING) {
    for (const Json& value : values) expected.strings.push_back(value.get<std::string>());
  } else {
    expected.bytes = read_values(dtype, values);
  }
  return expected;
}

GatherCase read_case(const Json& json) {
  GatherCase result;
  result.name = text_field(json, "id");
  const std::string op = text_field(json, "op");
  const std::string version = text_field(json, "version");
  if (op == "gather_elements") {
    if (version != "onnx-11" && version != "onnx-13")
      throw InputError(fmt::format("gather_elements has no version '{}'", version));
    result.op.kind = GARNER_GATHER_ELEMENTS_ONNX;
    result.op.axis = read_integer<int64_t>(field(json, "attrs.axis"));
  } else if (op == "gather_nd") {
    const auto known = parse_operator("gathernd@" + version);
    if (!known) throw InputError(fmt::format("gather_nd has no version '{}'", version));
    result.op.kind = known->kind;
    result.op.batch_dims = read_integer<int64_t>(field(json, "attrs.batch_dims"));
  } else {
    throw InputError(fmt::format("unknown op '{}'", op));
  }
  result.data = read_tensor(json, "data", result.data_bytes, result.characters);
  result.indices = read_tensor(json, "indices", result.index_bytes, result.characters);
  result.expected = read_expectation(json, result.data.type.dtype);
  return result;
}

}  // namespace

void read_json_cases(const std::string& path, const std::function<void(GatherCase&&)>& visit) {
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("{}: cannot be opened", path));
  std::string line;
  int cases = 0;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    GatherCase next;
    try {
      next = read_case(Json::parse(line));
    } catch (const Json::parse_error& error) {
      throw InputError(fmt::format("{}:{}: is not JSON from column {} on", path, number, error.byte));
    } catch (const std::exception& error) {  // the JSON library's, whose texts begin with its own "[code] ", and ours
      const std::string text = error.what();
      const size_t code = text.rfind("[json.", 0) == 0 ? text.find("] ") : std::string::npos;
      const std::string words = code == std::string::npos ? text : text.substr(code + 2);
      throw InputError(fmt::format("{}:{}: {}", path, number, words));
    }
    visit(std::move(next));
    ++cases;
  }
  if (file.bad() || cases == 0) throw InputError(fmt::format("{}: holds no case", path));
}

}  // namespace garner::perf
