// SPDX-License-Identifier: Apache-2.0
#include "perf/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "perf/atomic_file.h"
#include "perf/input_error.h"
#include "perf/memory.h"
#include "perf/problem.h"

namespace garner::perf {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t header_limit = size_t{1} << 20;  // NumPy itself refuses more than 10,000 bytes unless told otherwise
constexpr int64_t file_limit = int64_t{1} << 40;

// Text from a file as it may go to a terminal: short, and nothing but printable ASCII.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += c >= 0x20 && c <= 0x7e ? c : '?';
  return result;
}

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int64_t>> shape;
};

// The header is the text of a Python dictionary with the keys descr, fortran_order and shape.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') fail("structured dtypes (records) are not supported; save one field, or a view as 'V'");
        set(header_.descr, parse_string(), key);
      } else if (key == "fortran_order") {
        set(header_.fortran_order, parse_bool(), key);
      } else if (key == "shape") {
        set(header_.shape, parse_shape(), key);
      } else {
        fail(fmt::format("the header has an unknown key '{}'", printable(key)));
      }
      if (!accept(',') && peek() != '}') fail("the header is not a Python dictionary");
    }
    skip_space();
    if (place_ != text_.size()) fail("the header goes on after its dictionary");
    if (!header_.descr || !header_.fortran_order || !header_.shape)
      fail("the header lacks descr, fortran_order or shape");
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw InputError(fmt::format("{}: {}", name_, why)); }

  template <class T>
  void set(std::optional<T>& field, T value, const std::string& key) const {
    if (field) fail(fmt::format("the header has '{}' twice", key));
    field = std::move(value);
  }

  void skip_space() {
    while (place_ < text_.size() &&
           (text_[place_] == ' ' || text_[place_] == '\n' || text_[place_] == '\t' || text_[place_] == '\r'))
      ++place_;
  }
  char peek() {
    skip_space();
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || place_ == text_.size()) return false;
    ++place_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail("the header is not a Python dictionary");
  }
  std::string parse_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("the header is not a Python dictionary of strings");
    const size_t begin = ++place_;
    const size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail("the header ends inside a string");
    place_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }
  bool parse_bool() {
    peek();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(place_, word.size()) != word) continue;
      place_ += word.size();
      return value;
    }
    fail("fortran_order is neither True nor False");
  }
  std::vector<int64_t> parse_shape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!accept(')')) {
      peek();
      int64_t extent = 0;
      const char* begin = text_.data() + place_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{} || extent < 0) fail("the shape is not a tuple of extents of at most 63 bits");
      place_ += static_cast<size_t>(end - begin);
      shape.push_back(extent);
      if (shape.size() > 64) fail("the shape has more than 64 dims");
      if (!accept(',') && peek() != ')') fail("the shape is not a tuple of extents");
    }
    return shape;
  }

  std::string_view text_;
  const std::string& name_;
  size_t place_ = 0;
  Header header_;
};

ElementType type_of(const std::string& descr, const std::string& name) {
  const auto fail = [&](const char* why) {
    throw InputError(fmt::format("{}: dtype '{}': {}", name, printable(descr), why));
  };
  std::string_view text = descr;
  char order = '|';
  if (!text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos) {
    order = text[0];
    text.remove_prefix(1);
  }
  if (text.empty()) fail("is not a NumPy dtype");
  const char kind = text[0];
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), size);
  if (kind == 'O') fail("arrays of Python objects cannot be read; save a plain dtype");
  if (kind == 'U') fail("Unicode arrays are not supported; encode to bytes ('S')");
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));  // of dates: "[ns]"
  if (error != std::errc{} || (!unit.empty() && kind != 'M' && kind != 'm')) fail("is not a NumPy dtype that is known");
  for (const char c : unit) {
    if (descr.size() > 32 ||
        std::string_view("[]0123456789/abcdefghijklmnopqrstuvwxyzDMWY").find(c) == std::string_view::npos)
      fail("is not a NumPy dtype that is known");
  }
  if (order == '>' && size != 1 && kind != 'S' && kind != 'V')
    fail("big-endian arrays are not supported; use .astype(a.dtype.newbyteorder('<'))");
  const auto pick = [&](int64_t bytes, garner_dtype dtype) {
    return size == bytes ? std::optional<ElementType>({dtype, 0}) : std::nullopt;
  };
  std::optional<ElementType> type;
  switch (kind) {
    case 'b': type = pick(1, GARNER_BOOL); break;
    case 'i':
      for (auto [bytes, dtype] : {std::pair{1, GARNER_INT8}, {2, GARNER_INT16}, {4, GARNER_INT32}, {8, GARNER_INT64}})
        if (!type) type = pick(bytes, dtype);
      break;
    case 'u':
      for (auto [bytes, dtype] :
           {std::pair{1, GARNER_UINT8}, {2, GARNER_UINT16}, {4, GARNER_UINT32}, {8, GARNER_UINT64}})
        if (!type) type = pick(bytes, dtype);
      break;
    case 'f':
      for (auto [bytes, dtype] : {std::pair{2, GARNER_FLOAT16}, {4, GARNER_FLOAT32}, {8, GARNER_FLOAT64}})
        if (!type) type = pick(bytes, dtype);
      break;
    case 'c':
      for (auto [bytes, dtype] : {std::pair{8, GARNER_COMPLEX64}, {16, GARNER_COMPLEX128}})
        if (!type) type = pick(bytes, dtype);
      break;
    default: break;
  }
  const bool opaque = kind == 'S' || kind == 'V' || ((kind == 'M' || kind == 'm') && size == 8) ||
                      (kind == 'f' && size == 16) || (kind == 'c' && size == 32);
  if (!type && opaque) {
    if (size < 1 || size > 65535) fail("an element must have 1..65535 bytes");
    type = ElementType{GARNER_OPAQUE, size};
  }
  if (!type) fail("is not a NumPy dtype that is known");
  return *type;
}

}  // namespace

Tensor NpyArray::tensor() const {
  Tensor tensor{type, shape, std::nullopt, 0};
  if (fortran_order) {
    std::vector<int64_t> strides(shape.size());
    int64_t step = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      strides[i] = step;
      step *= std::max<int64_t>(1, shape[i]);  // the reader has seen that the product fits
    }
    tensor.strides = std::move(strides);
  }
  return tensor;
}

NpyArray parse_npy(const std::vector<std::byte>& file, const std::string& name) {
  const auto fail = [&](const std::string& why) { throw InputError(fmt::format("{}: {}", name, why)); };
  if (file.size() < 10) fail(fmt::format("is too short for a .npy file: {} bytes", file.size()));
  if (std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    fail("is not a .npy file: its magic number is missing");
  const int major = static_cast<int>(file[6]);
  const int minor = static_cast<int>(file[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail(fmt::format("has .npy version {}.{}; 1.0, 2.0 and 3.0 are known", major, minor));
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < 8 + length_bytes) fail("is truncated inside its header");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= static_cast<size_t>(file[8 + i]) << (8 * i);
  const size_t start = 8 + length_bytes;
  if (length > file.size() - start) {
    fail(fmt::format("is truncated: its header claims {} bytes, {} are there", length, file.size() - start));
  }
  if (length > header_limit)
    fail(fmt::format("has a header of {} bytes; at most {} are accepted", length, header_limit));
  const Header header = HeaderParser({reinterpret_cast<const char*>(file.data()) + start, length}, name).parse();

  NpyArray array;
  array.descr = *header.descr;
  array.type = type_of(array.descr, name);
  array.shape = *header.shape;
  array.fortran_order = *header.fortran_order;
  int64_t count = array.type.bytes();
  bool overflow = false;
  for (const int64_t extent : array.shape)
    overflow = overflow || __builtin_mul_overflow(count, std::max<int64_t>(1, extent), &count);
  if (overflow) fail(fmt::format("its shape {} needs more than 63 bits of bytes", format_shape(array.shape)));
  for (const int64_t extent : array.shape) {
    if (extent == 0) count = 0;
  }
  const size_t available = file.size() - start - length;
  if (to_size(count) > available) {
    fail(fmt::format("is truncated: {} of '{}' needs {} bytes, {} are there", format_shape(array.shape),
                     printable(array.descr), count, available));
  }
  const auto first = file.begin() + to_int(start + length);
  array.bytes.assign(first, first + count);
  return array;
}

std::vector<std::byte> read_file(const std::string& path, int64_t limit) {
  const auto fail = [&](const std::string& why) { throw InputError(fmt::format("{}: {}", path, why)); };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(std::strerror(errno));
  struct Closer {
    int descriptor;
    ~Closer() { close(descriptor); }
  } closer{descriptor};
  struct stat status;
  if (fstat(descriptor, &status) != 0) fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("is not a regular file");
  if (status.st_size > limit) fail(fmt::format("has {} bytes; at most {} are accepted", status.st_size, limit));
  std::vector<std::byte> bytes(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

NpyArray read_npy(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);  // what is wrong with the file is said by reading it
  if (!error) require_memory(2 * static_cast<double>(size), "reading " + path);  // the file, and its array
  return parse_npy(read_file(path, file_limit), path);
}

void write_npy(const std::string& path, const std::string& descr, const std::vector<int64_t>& shape,
               const std::byte* bytes, size_t count) {
  const std::string tuple = shape.empty() ? "()" : fmt::format("({},)", fmt::join(shape, ", "));
  // NumPy writes (3,) but (3, 4): the last comma only where the tuple needs it.
  const std::string shape_text = shape.size() > 1 ? fmt::format("({})", fmt::join(shape, ", ")) : tuple;
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape_text);
  header.append(63 - (10 + header.size()) % 64, ' ');  // NumPy aligns the data to 64 bytes
  header += '\n';
  std::string start(magic);
  start += '\x01';
  start += '\0';
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  AtomicFile file(path);
  file.write(start.data(), start.size());
  file.write(header.data(), header.size());
  file.write(bytes, count);
  file.commit();
}

}  // namespace garner::perf
