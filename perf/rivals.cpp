// SPDX-License-Identifier: Apache-2.0
#include "perf/rivals.h"

#include <algorithm>

#include "perf/dense_gather.h"

namespace garner::perf {
namespace {

// Cuts [0, total) into a part per thread; parts begin at multiples of `unit`.
template <class Body>
void in_parts(ThreadTeam& team, int threads, int64_t total, int64_t unit, const Body& body) {
  if (threads == 1) {
    body(int64_t{0}, total);
    return;
  }
  struct Job {
    const Body& body;
    int64_t total;
    int64_t unit;
    int threads;
    int64_t edge(int32_t i) const { return i == threads ? total : total / threads * i / unit * unit; }
  } job{body, total, unit, threads};
  team.run(
      threads,
      [](void* arg, int32_t i) {
        const Job& part = *static_cast<const Job*>(arg);
        part.body(part.edge(i), part.edge(i + 1));
      },
      &job);
}

ProbeSet probes_for(Isa isa, const DenseGather& gather) {
  return isa == Isa::avx512 ? probes_v4(gather) : isa == Isa::avx2 ? probes_v3(gather) : probes_v1(gather);
}

LoopFunction loop_for(Isa isa, const DenseGather& gather) {
  return isa == Isa::avx512 ? baseline_loop_v4(gather)
         : isa == Isa::avx2 ? baseline_loop_v3(gather)
                            : baseline_loop_v1(gather);
}

template <class Function, size_t n>
std::vector<Function> listed(Function const (&functions)[n]) {
  return {functions, std::find(functions, functions + n, nullptr)};
}

}  // namespace

Rivals::Rivals(const Workload& workload, ThreadTeam& team, int threads, Isa isa)
    : workload_(workload),
      team_(team),
      thread_variants_(threads == 1 ? std::vector<int>{1} : std::vector<int>{threads, 1}),
      isa_(isa) {
  const auto payload = [](const Tensor& tensor) {
    return std::min(tensor.element_count() * tensor.type.bytes(), tensor.buffer_bytes());
  };
  output_bytes_ = payload(workload.output());
  index_bytes_ = payload(workload.tensors().indices);
}

std::vector<Call> Rivals::loop_calls(std::string& why_not) const {
  if (!workload_.dense()) {
    why_not = "a tensor is not dense, or nothing is moved";
    return {};
  }
  const DenseGather& gather = *workload_.dense();
  const LoopFunction loop = loop_for(isa_, gather);
  if (loop == nullptr) {
    why_not = "not written for this index type and policy, or this element size";
    return {};
  }
  std::vector<Call> calls;
  for (const int threads : thread_variants_) {
    calls.push_back([this, &gather, loop, threads](const BufferSet& set) {
      const std::byte* data = set.data + workload_.tensors().data.byte_offset;
      const std::byte* indices = set.indices + workload_.tensors().indices.byte_offset;
      std::byte* output = set.output + workload_.output().byte_offset;
      in_parts(team_, threads, gather.positions, 1,
               [&](int64_t begin, int64_t end) { loop(gather, data, indices, output, begin, end); });
    });
  }
  return calls;
}

std::vector<Call> Rivals::copy_calls() const {
  std::vector<Call> calls;
  if (output_bytes_ == 0) return calls;
  const ProbeSet probes = probes_for(isa_, {});
  constexpr int64_t smallest_window = 64 * 1024;  // in pieces shorter than this the calls would be seen
  const int64_t window = std::min(output_bytes_, std::max(workload_.data_bytes(), smallest_window));
  for (const int threads : thread_variants_) {
    for (const CopyFunction copy : listed(probes.copy)) {
      calls.push_back([this, copy, threads, window](const BufferSet& set) {
        in_parts(team_, threads, output_bytes_, 64, [&](int64_t begin, int64_t end) {
          // A source no larger than the table: where that lies in a cache, so does what is copied.
          for (int64_t at = begin; at < end;) {
            const int64_t from = at % window;
            const int64_t bytes = std::min(end - at, window - from);
            copy(set.output + at, workload_.copy_source() + from, bytes);
            at += bytes;
          }
        });
      });
    }
  }
  return calls;
}

std::vector<Call> Rivals::stream_calls() const {
  std::vector<Call> calls;
  if (output_bytes_ == 0) return calls;
  const ProbeSet probes = probes_for(isa_, {});
  for (const int threads : thread_variants_) {
    for (const StreamFunction stream : listed(probes.stream)) {
      calls.push_back([this, stream, threads](const BufferSet& set) {
        const auto edge = [threads](int64_t total, int64_t i) {
          return i == threads ? total : total / threads * i / 64 * 64;
        };
        in_parts(team_, threads, threads, 1, [&](int64_t begin, int64_t end) {
          const int64_t out = edge(output_bytes_, begin);
          const int64_t in = edge(index_bytes_, begin);
          stream(set.output + out, edge(output_bytes_, end) - out, set.indices + in, edge(index_bytes_, end) - in);
        });
      });
    }
  }
  return calls;
}

std::vector<Call> Rivals::touch_calls() const {
  std::vector<Call> calls;
  if (!workload_.dense() || workload_.data_bytes() == 0 || workload_.table_fits_registers()) return calls;
  const DenseGather& gather = *workload_.dense();
  const ProbeSet probes = probes_for(isa_, gather);
  for (const int threads : thread_variants_) {
    for (const TouchFunction touch : listed(probes.touch)) {
      calls.push_back([this, touch, threads, &gather](const BufferSet& set) {
        const std::byte* data = set.data + workload_.tensors().data.byte_offset;
        const std::byte* indices = set.legal + workload_.tensors().indices.byte_offset;
        in_parts(team_, threads, gather.positions, 1, [&](int64_t begin, int64_t end) {
          const uint64_t sum = touch(gather, data, indices, begin, end);
          asm volatile("" : : "r"(sum));  // the loads must happen
        });
      });
    }
  }
  return calls;
}

}  // namespace garner::perf
