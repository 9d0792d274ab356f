// SPDX-License-Identifier: Apache-2.0
// Strings, in both ways: views, which point into the data and cost nothing, and the host's own type, here std::string,
// assigned by a function of the host.
//
// Prints:
//   views: cherry apple cherry
//   owned: cherry apple (empty)
#include <garner/garner.hpp>

#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace {

// Called once for each element of the output, possibly by several threads. from is NULL for an element that Bounds::zero
// empties. No exception may leave it: a failure is a code of the host's own, which comes back in Error::callback_code.
int32_t assign(void* /*ctx*/, void* to, const void* from) noexcept {
  auto& target = *static_cast<std::string*>(to);
  try {
    if (from == nullptr) {
      target.clear();
    } else {
      target = *static_cast<const std::string*>(from);
    }
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

}  // namespace

int main() {
  const std::vector<std::string> fruits = {"apple", "banana", "cherry"};
  const std::vector<int64_t> indices = {2, 0, -1}, beyond = {2, 0, 3};
  const auto places = garner::Tensor::of<int64_t>({3, 1});
  try {
    // 1. Views. The characters stay where they are, so the data must outlive the output.
    std::vector<garner_string_view> data, views(3);
    for (const std::string& fruit : fruits) data.push_back({fruit.data(), fruit.size()});
    const garner::Plan plan(garner::gather_nd(), garner::Tensor::of<garner_string_view>({3}), places);
    plan.execute(garner::Args(data, indices, views));
    std::printf("views:");
    for (const garner_string_view& view : views) std::printf(" %.*s", static_cast<int>(view.size), view.data);

    // 2. The host's own type: its size in the descriptor, a copy function in the arguments. The output's elements exist
    //    already and are assigned.
    std::vector<std::string> owned(3);
    const garner::Tensor strings = garner::Tensor(GARNER_STRING, {3}).element_bytes(sizeof(std::string));
    const garner::Plan owning(garner::gather_nd(0, garner::Bounds::zero), strings, places);
    owning.execute(garner::Args(fruits, beyond, owned).with_copy(assign, nullptr));
    std::printf("\nowned:");
    for (const std::string& text : owned) std::printf(" %s", text.empty() ? "(empty)" : text.c_str());
    std::printf("\n");
  } catch (const garner::Exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return 1;
  }
  return 0;
}
