// SPDX-License-Identifier: Apache-2.0
#include "src/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "runtime/keep_errno.h"
#include "src/text.h"

namespace garner {
namespace {

bool is_writable_folder(const char* path) {
  const KeepErrno keep;
  struct stat status {};
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0;
}

struct Choice {
  const char* name;
  int32_t value;
};

constexpr Choice jit_choices[] = {{"auto", GARNER_JIT_AUTO}, {"off", GARNER_JIT_OFF}};
constexpr Choice path_choices[] = {
    {"copy", GARNER_PATH_COPY}, {"jit", GARNER_PATH_JIT}, {"scalar", GARNER_PATH_SCALAR}};
constexpr Choice body_choices[] = {
    {"table", GARNER_BODY_TABLE}, {"loads", GARNER_BODY_LOADS}, {"hardware", GARNER_BODY_HARDWARE}};
constexpr Choice isa_choices[] = {
    {"scalar", GARNER_ISA_SCALAR}, {"avx2", GARNER_ISA_AVX2}, {"avx512", GARNER_ISA_AVX512}};
constexpr Choice disable_choices[] = {
    {"table", GARNER_DISABLE_TABLE},     {"hardware", GARNER_DISABLE_HARDWARE}, {"rows", GARNER_DISABLE_ROWS},
    {"runs", GARNER_DISABLE_RUNS},       {"prefetch", GARNER_DISABLE_PREFETCH}, {"nt", GARNER_DISABLE_NT},
    {"folding", GARNER_DISABLE_FOLDING}, {"threads", GARNER_DISABLE_THREADS},   {"slices", GARNER_DISABLE_SLICES}};

// A part of a variable's value.
struct Word {
  const char* text;
  size_t length;
  bool equals(const char* other) const { return std::strlen(other) == length && std::memcmp(text, other, length) == 0; }
};

// NULL when unset or empty.
const char* variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

class Reader {
 public:
  explicit Reader(const Log& log) : log_(log) {}

  template <size_t count>
  void choice(const char* name, const Choice (&choices)[count], int32_t& setting) const {
    const char* const value = variable(name);
    if (value == nullptr) return;
    int32_t read = 0;
    if (!find({value, std::strlen(value)}, choices, read)) {
      report(name, value, choices);
    } else if (setting == 0) {
      setting = read;
    }
  }

  // A comma list whose words name bits.
  template <size_t count>
  void bits(const char* name, const Choice (&choices)[count], uint32_t& setting) const {
    const char* value = variable(name);
    if (value == nullptr) return;
    for (const char* word = value; *word != '\0';) {
      const size_t length = std::strcspn(word, ",");
      int32_t bit = 0;
      if (find({word, length}, choices, bit)) {
        setting |= static_cast<uint32_t>(bit);
      } else if (length > 0) {
        report(name, value, choices);
      }
      word += length;
      if (*word == ',') ++word;
    }
  }

  // A decimal number in lowest..highest, taken when the setting still has the value `unset`.
  template <class Number>
  void number(const char* name, Number lowest, Number highest, Number unset, Number& setting) const {
    const char* const value = variable(name);
    if (value == nullptr) return;
    int64_t read = 0;
    bool good = true;
    for (const char* digit = value; *digit != '\0' && good; ++digit) {
      good = *digit >= '0' && *digit <= '9' && !__builtin_mul_overflow(read, int64_t{10}, &read) &&
             !__builtin_add_overflow(read, int64_t{*digit - '0'}, &read);
    }
    if (!good || read < lowest || read > highest) {
      char line[512];
      TextWriter text(line, sizeof(line));
      text << "garner: " << name << "=" << value << " is ignored; it must be a number in " << int64_t{lowest} << ".."
           << int64_t{highest};
      log_.write(line);
    } else if (setting == unset) {
      setting = static_cast<Number>(read);
    }
  }

  void folder(const char* name, char (&setting)[folder_capacity]) const {
    const char* const value = variable(name);
    if (value == nullptr) return;
    const size_t length = std::strlen(value);
    char line[512];
    TextWriter text(line, sizeof(line));
    if (length >= folder_capacity) {
      text << "garner: " << name << " is ignored; the name is longer than " << uint64_t{folder_capacity - 1}
           << " bytes";
    } else if (!is_writable_folder(value)) {
      text << "garner: " << name << "=" << value << " is ignored; it is not a folder that this process can write to";
    } else {
      std::memcpy(setting, value, length + 1);
      return;
    }
    log_.write(line);
  }

 private:
  template <size_t count>
  static bool find(const Word& word, const Choice (&choices)[count], int32_t& value) {
    for (const Choice& choice : choices) {
      if (word.equals(choice.name)) {
        value = choice.value;
        return true;
      }
    }
    return false;
  }

  template <size_t count>
  void report(const char* name, const char* value, const Choice (&choices)[count]) const {
    char line[512];
    TextWriter text(line, sizeof(line));
    text << "garner: " << name << " has a value that is ignored; it must be made of";
    for (const Choice& choice : choices) text << ' ' << choice.name;
    text << ", but is " << value;
    log_.write(line);
  }

  Log log_;
};

}  // namespace

void read_environment(Settings& settings, const Log& log) {
  const Reader reader(log);
  reader.choice("GARNER_JIT", jit_choices, settings.jit);
  reader.choice("GARNER_PATH", path_choices, settings.path);
  reader.choice("GARNER_GATHER", body_choices, settings.body);
  reader.choice("GARNER_MAX_ISA", isa_choices, settings.max_isa);
  reader.bits("GARNER_DISABLE", disable_choices, settings.disable);
  reader.number<int32_t>("GARNER_NUM_THREADS", 1, INT32_MAX, 0, settings.threads);
  reader.number<int32_t>("GARNER_VERBOSE", 0, 2, 0, settings.verbose);
  reader.number<int64_t>("GARNER_LLC_BYTES", 1, INT64_MAX, 0, settings.llc_bytes);
  reader.number<int64_t>("GARNER_MIN_SHARD", 0, INT64_MAX, -1, settings.min_shard_bytes);
  reader.folder("GARNER_JIT_DUMP", settings.dump_folder);
  reader.folder("GARNER_PERF_MAP", settings.perf_map_folder);
}

}  // namespace garner
