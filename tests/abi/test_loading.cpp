// SPDX-License-Identifier: Apache-2.0
// Hosts that load the library at run time: again and again, and more than one copy of it.
#include <dlfcn.h>
#include <garner/garner.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/sanitized.h"

namespace {

namespace fs = std::filesystem;

// The functions of one loaded copy.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    get(context_create, "garner_context_create");
    get(context_destroy, "garner_context_destroy");
    get(plan_create, "garner_plan_create");
    get(plan_execute, "garner_plan_execute");
    get(plan_destroy, "garner_plan_destroy");
    get(context_trim, "garner_context_trim");
  }
  ~Library() {
    if (dlclose(handle_) != 0) std::cerr << "dlclose: " << dlerror() << std::endl;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  decltype(&garner_context_create) context_create;
  decltype(&garner_context_destroy) context_destroy;
  decltype(&garner_plan_create) plan_create;
  decltype(&garner_plan_execute) plan_execute;
  decltype(&garner_plan_destroy) plan_destroy;
  decltype(&garner_context_trim) context_trim;

 private:
  template <class Function>
  void get(Function& function, const char* name) {
    void* const symbol = dlsym(handle_, name);
    if (symbol == nullptr) throw std::runtime_error(dlerror());
    function = reinterpret_cast<Function>(symbol);
  }
  void* handle_;
};

// Gathers in the given context (NULL: the copy's default one) and checks the output.
bool gathers(const Library& library, garner_context* context, int64_t shift) {
  constexpr int64_t count = 200;
  float data[count], output[count];
  int32_t indices[count];
  for (int64_t i = 0; i < count; ++i) {
    data[i] = static_cast<float>(i + shift);
    indices[i] = static_cast<int32_t>((i * 7 + shift) % count - (i % 3 == 0 ? count : 0));
  }
  const int64_t data_shape[] = {count}, indices_shape[] = {count, 1};
  const garner_op op = GARNER_OP_INIT;
  garner_tensor d = GARNER_TENSOR_INIT, i = GARNER_TENSOR_INIT;
  d.dtype = GARNER_FLOAT32;
  d.rank = 1;
  d.shape = data_shape;
  i.dtype = GARNER_INT32;
  i.rank = 2;
  i.shape = indices_shape;
  garner_plan* plan = nullptr;
  if (library.plan_create(context, &op, &d, &i, nullptr, &plan, nullptr) != GARNER_OK) return false;
  garner_args args = GARNER_ARGS_INIT;
  args.max_threads = 1;
  args.data = data;
  args.data_bytes = sizeof(data);
  args.indices = indices;
  args.indices_bytes = sizeof(indices);
  args.output = output;
  args.output_bytes = sizeof(output);
  bool right = library.plan_execute(plan, &args, nullptr) == GARNER_OK;
  library.plan_destroy(plan);
  for (int64_t n = 0; n < count; ++n) {
    const int64_t place = indices[n] < 0 ? indices[n] + count : indices[n];
    right = right && output[n] == static_cast<float>(place + shift);
  }
  return right;
}

bool whole_life(const Library& library, int64_t shift) {
  garner_context* context = nullptr;
  if (library.context_create(nullptr, &context, nullptr) != GARNER_OK) return false;
  const bool right = gathers(library, context, shift) && gathers(library, context, shift + 1);
  library.context_destroy(context);
  return right;
}

struct Use {
  int64_t mappings = 0, resident_pages = 0, files = 0;
};

Use use_of_process() {
  Use use;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++use.mappings;
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  statm >> size >> use.resident_pages;
  for ([[maybe_unused]] const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) ++use.files;
  return use;
}

// A second file with the same contents, removed again.
class Copy {
 public:
  Copy() : path_(fs::temp_directory_path() / ("libgarner-copy-" + std::to_string(getpid()) + ".so")) {
    fs::copy_file(GARNER_TEST_LIBRARY, path_, fs::copy_options::overwrite_existing);
  }
  ~Copy() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

}  // namespace

// The library is linked to stay (-z nodelete), as threads of oneTBB may run its code: closing gives back a reference only.
TEST_CASE("opened, used and closed a thousand times") {
  constexpr int rounds = 1000, warm = 50;
  Use before;
  int right = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round == warm) before = use_of_process();
    const Library library(GARNER_TEST_LIBRARY);
    if (whole_life(library, round % 50)) ++right;
  }
  const Use after = use_of_process();
  std::cout << rounds << " times; since round " << warm << ": " << after.mappings - before.mappings << " mappings, "
            << (after.resident_pages - before.resident_pages) * 4 << " KiB, " << after.files - before.files << " files"
            << std::endl;
  CHECK(right == rounds);
  CHECK(after.files == before.files);
  if (garner_test::sanitized) return;  // their allocators keep what was freed
  CHECK(after.mappings <= before.mappings + 2);
  CHECK(after.resident_pages <= before.resident_pages + 256);
}

TEST_CASE("two copies of the library in one process") {
  const Copy copy;
  const Library first(GARNER_TEST_LIBRARY), second(copy.path());
  REQUIRE(first.plan_create != second.plan_create);
  CHECK(gathers(first, nullptr, 1));
  CHECK(gathers(second, nullptr, 2));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        const Library& library = (t + round) % 2 == 0 ? first : second;
        if (!whole_life(library, t) || !gathers(library, nullptr, round)) wrong.fetch_add(1);
        library.context_trim(nullptr, 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a copy that is closed leaves the other one alone") {
  const Library first(GARNER_TEST_LIBRARY);
  garner_context* context = nullptr;
  REQUIRE(first.context_create(nullptr, &context, nullptr) == GARNER_OK);
  {
    const Copy copy;
    const Library second(copy.path());
    CHECK(whole_life(second, 3));
  }
  CHECK(gathers(first, context, 4));
  first.context_destroy(context);
}
