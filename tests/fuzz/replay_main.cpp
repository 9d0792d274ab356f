// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on every file of the folders or files named; stands in for libFuzzer where that is not linked.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i) {
    if (arguments[i][0] == '-') continue;  // an option of libFuzzer
    if (fs::is_directory(arguments[i])) {
      for (const fs::directory_entry& entry : fs::directory_iterator(arguments[i])) files.push_back(entry.path());
    } else {
      files.emplace_back(arguments[i]);
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    std::printf("%s (%zu bytes)\n", file.filename().c_str(), bytes.size());
    std::fflush(stdout);  // the last line names the input that ends the program
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs replayed\n", files.size());
  if (files.empty()) std::puts("no input in the folders named");
  return files.empty() ? 1 : 0;
}
