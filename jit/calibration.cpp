// SPDX-License-Identifier: Apache-2.0
#include "jit/calibration.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "jit/code_page.h"
#include "jit/emitter.h"
#include "runtime/keep_errno.h"
#include "runtime/kernel.h"

namespace garner::jit {
namespace {

constexpr int positions = 512;  // an index array of one page
constexpr int table_bytes = 4096;
constexpr int rounds = 9;

// Both times of one width and ISA in a single word, so that a reader never sees half a result. 0: not measured.
std::atomic<uint64_t> results[2][2];

std::atomic<uint64_t>* slot(int element_bytes, Isa isa) {
  if ((element_bytes != 4 && element_bytes != 8) || isa == Isa::scalar) return nullptr;
  return &results[element_bytes == 8][isa == Isa::avx512];
}

int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1000000000} + time.tv_nsec;
}

CodePage emit(Body body, int element_bytes, Isa isa, void* buffer) {
  KernelKey key{};
  key.body = body;
  key.isa = isa;
  key.lanes = Lanes::flat;
  key.index_type = IndexType::i64;
  key.element_bytes = static_cast<uint16_t>(element_bytes);
  key.coord_count = 1;
  key.unit_coord = 1;
  const Emission emission = emit_kernel(key, buffer, emit_buffer_bytes);
  if (emission.status != EmitStatus::ok) return {MapStatus::refused, nullptr, 0};
  return map_code(buffer, emission.bytes);
}

struct Workspace {
  std::byte table[table_bytes];
  int64_t indices[positions];
  std::byte output[positions * 8];
  std::byte emit_buffer[emit_buffer_bytes];
};

Calibration measure(int element_bytes, Isa isa, Workspace& work) {
  const CodePage loads = emit(Body::loads, element_bytes, isa, work.emit_buffer);
  const CodePage hardware = emit(Body::hardware, element_bytes, isa, work.emit_buffer);
  Calibration result{};
  if (loads.status == MapStatus::ok && hardware.status == MapStatus::ok) {
    std::memset(work.table, 0, sizeof(work.table));
    std::memset(work.output, 0, sizeof(work.output));
    const int64_t extent = table_bytes / element_bytes;
    uint64_t state = 1;
    for (int64_t& index : work.indices) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      index = static_cast<int64_t>(state >> 33) % extent;
    }
    KernelArgs args{};
    args.data = work.table;
    args.indices = reinterpret_cast<const std::byte*>(work.indices);
    args.output = work.output;
    args.count = args.columns = positions;
    args.index_column = 8;
    args.output_column = element_bytes;
    args.coords[0] = {extent, element_bytes, 0};
    int64_t best_loads = INT64_MAX, best_hardware = INT64_MAX;
    for (int round = 0; round < rounds; ++round) {
      const int64_t start = now_ns();
      reinterpret_cast<KernelFunction>(loads.address)(&args);
      const int64_t middle = now_ns();
      reinterpret_cast<KernelFunction>(hardware.address)(&args);
      best_loads = std::min(best_loads, middle - start);
      best_hardware = std::min(best_hardware, now_ns() - middle);
    }
    result.loads_ns = static_cast<float>(std::max<int64_t>(best_loads, 1)) / positions;
    result.hardware_ns = static_cast<float>(std::max<int64_t>(best_hardware, 1)) / positions;
  }
  if (loads.status == MapStatus::ok) unmap_code(loads.address, loads.bytes);
  if (hardware.status == MapStatus::ok) unmap_code(hardware.address, hardware.bytes);
  return result;
}

}  // namespace

Calibration calibration(int element_bytes, Isa isa) {
  Calibration result{};
  const std::atomic<uint64_t>* stored = slot(element_bytes, isa);
  if (stored == nullptr) return result;
  const uint64_t bits = stored->load(std::memory_order_acquire);
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

void calibrate(int element_bytes, Isa isa) {
  std::atomic<uint64_t>* stored = slot(element_bytes, isa);
  if (stored == nullptr || stored->load(std::memory_order_acquire) != 0) return;
  const KeepErrno keep;
  // Process-wide and short-lived: not the business of a context's allocator. Without memory nothing is learned.
  auto* work = static_cast<Workspace*>(std::malloc(sizeof(Workspace)));
  if (work == nullptr) return;
  const Calibration measured = measure(element_bytes, isa, *work);
  std::free(work);
  uint64_t bits = 0;
  std::memcpy(&bits, &measured, sizeof(bits));
  uint64_t expected = 0;
  // The first of several threads wins, so that all plans of a process agree.
  stored->compare_exchange_strong(expected, bits, std::memory_order_acq_rel);
}

bool hardware_is_faster(int element_bytes, Isa isa) {
  const Calibration measured = calibration(element_bytes, isa);
  return measured.hardware_ns > 0 && measured.hardware_ns * 1.1f < measured.loads_ns;
}

}  // namespace garner::jit
