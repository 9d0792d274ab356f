// SPDX-License-Identifier: Apache-2.0
#include "perf/tensor.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "perf/input_error.h"
#include "perf/interrupt.h"

namespace garner::perf {
namespace {

constexpr size_t page_bytes = 4096;
constexpr size_t huge_page_bytes = size_t{2} << 20;

int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) throw InputError("a shape or stride whose byte count exceeds 64 bits");
  return product;
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) throw InputError("a shape or stride whose byte count exceeds 64 bits");
  return sum;
}

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

garner_tensor Tensor::view() const {
  garner_tensor view = GARNER_TENSOR_INIT;
  view.dtype = type.dtype;
  view.element_bytes = type.element_bytes;
  view.rank = static_cast<int32_t>(shape.size());
  view.shape = shape.data();
  view.strides = strides ? strides->data() : nullptr;
  view.byte_offset = byte_offset;
  return view;
}

std::vector<int64_t> Tensor::element_strides() const {
  if (strides) return *strides;
  std::vector<int64_t> dense(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    dense[i] = step;
    step = checked_multiply(step, shape[i]);
  }
  return dense;
}

bool Tensor::is_dense() const {
  if (!strides) return true;
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] > 1 && (*strides)[i] != step) return false;
    step = checked_multiply(step, shape[i]);
  }
  return true;
}

int64_t Tensor::element_count() const {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (const int64_t extent : shape) count = checked_multiply(count, extent);
  return count;
}

Tensor::Reach Tensor::reach() const {
  Reach reach{0, 0};
  const std::vector<int64_t> steps = element_strides();
  for (size_t i = 0; i < shape.size() && i < steps.size(); ++i) {
    if (shape[i] <= 1) continue;
    const int64_t span = checked_multiply(shape[i] - 1, steps[i]);
    int64_t& side = span < 0 ? reach.below : reach.above;
    side = checked_add(side, span);
  }
  return reach;
}

int64_t Tensor::buffer_bytes() const {
  if (element_count() == 0) return byte_offset;
  return checked_add(byte_offset, checked_multiply(checked_add(reach().above, 1), type.bytes()));
}

void Tensor::place_lowest_byte_at(int64_t offset) {
  byte_offset = element_count() == 0 ? offset : checked_add(offset, checked_multiply(-reach().below, type.bytes()));
}

Buffer::Buffer(int64_t bytes, Pages pages) : bytes_(bytes) {
  const size_t unit = pages == Pages::huge ? huge_page_bytes : page_bytes;
  // A unit more than needed, so that the start can be aligned to it.
  mapped_bytes_ = round_up(to_size(bytes) + 1, unit) + unit;
  mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw InputError(fmt::format("cannot map {} bytes: {}", bytes, std::strerror(errno)));
  }
  const auto address = reinterpret_cast<uintptr_t>(mapping_);
  start_ = static_cast<std::byte*>(mapping_) + (round_up(address, unit) - address);
  // Advice only: where it is refused, the pages stay as the system chooses.
  madvise(start_, round_up(to_size(bytes), unit), pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_bytes_);
}

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(start_, other.start_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void fill_bytes(std::byte* bytes, int64_t count, uint64_t seed) {
  // Each word depends on its position alone, so the loop vectorises and keeps up with the page faults.
  const auto word = [seed](uint64_t i) {
    uint64_t x = (i + seed) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29) ^ (x << 17);
  };
  const int64_t words = count / 8;
  constexpr int64_t part = int64_t{1} << 20;  // filled in a few milliseconds
  for (int64_t begin = 0; begin < words; begin += part) {
    stop_if_interrupted();
    for (int64_t i = begin; i < std::min(begin + part, words); ++i) {
      const uint64_t x = word(static_cast<uint64_t>(i));
      std::memcpy(bytes + 8 * i, &x, 8);
    }
  }
  const uint64_t last = word(static_cast<uint64_t>(words));
  if (count % 8 != 0) std::memcpy(bytes + 8 * words, &last, to_size(count % 8));
}

}  // namespace garner::perf
