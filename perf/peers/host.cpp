// SPDX-License-Identifier: Apache-2.0
// What the comparison with other libraries needs in native code, for Python's ctypes: the bytes of a problem, the
// hand-written loop, the probes, and a clock that times them and any C function without Python in between.
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "perf/rivals.h"
#include "perf/thread_team.h"
#include "perf/timing.h"
#include "perf/workload.h"
#include "runtime/cpu.h"

namespace garner::perf {
namespace {

constexpr int64_t helper_spin_ns = 1'000'000;

// Elapsed time, or what this thread had of its CPU, for machines on which others compete for it.
clockid_t measuring_clock = CLOCK_MONOTONIC;

int64_t reading() {
  timespec time;
  clock_gettime(measuring_clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// What a pair of readings costs.
double reading_cost() {
  if (measuring_clock == CLOCK_MONOTONIC) return timer_cost_ns();
  constexpr int pairs = 200;
  const int64_t start = reading();
  for (int i = 0; i < pairs; ++i) reading();
  return static_cast<double>(reading() - start) / pairs;
}

// Makes as many calls as it is told.
using Turn = std::function<void(int64_t calls)>;

DataPool& shared_pool() {
  static DataPool pool(Pages::normal);
  return pool;
}

ThreadTeam& team_of(int threads) {
  static std::map<int, std::unique_ptr<ThreadTeam>> teams;
  std::unique_ptr<ThreadTeam>& team = teams[threads];
  if (!team) team = std::make_unique<ThreadTeam>(threads, helper_spin_ns);
  return *team;
}

}  // namespace

// The C interface: Python knows these structs and functions by the same names.
extern "C" {

struct peers_facts {
  const void* data;
  const void* indices;
  void* output;
  int64_t data_bytes, index_bytes, output_bytes;
  const garner_op* op;
  const garner_tensor* data_tensor;
  const garner_tensor* indices_tensor;
  const garner_tensor* output_tensor;
};

struct peers_case;
}

struct peers_case {
  explicit peers_case(const char* problem)
      : isa(detect_cpu().isa),
        workload(named_problem("", problem), false, Pages::normal, 0, shared_pool()),
        data(workload.tensors().data.view()),
        indices(workload.tensors().indices.view()),
        output(workload.output().view()) {
    const BufferSet& set = workload.first();
    facts = {set.data,
             set.indices,
             set.output,
             workload.data_bytes(),
             workload.index_bytes(),
             workload.output_bytes(),
             &workload.op(),
             &data,
             &indices,
             &output};
  }

  Isa isa;
  Workload workload;
  garner_tensor data, indices, output;
  peers_facts facts;
  std::deque<Turn> turns;
  std::map<int, std::unique_ptr<Rivals>> rivals_of;  // by threads

  int add(Turn turn) {
    turns.push_back(std::move(turn));
    return static_cast<int>(turns.size()) - 1;
  }

  // The variants of a rival of garner-perf bench, with so many threads and with one; their numbers from `first` on.
  int add_rivals(int kind, int threads, int& first) {
    std::unique_ptr<Rivals>& rivals = rivals_of[threads];
    if (!rivals) rivals = std::make_unique<Rivals>(workload, team_of(threads), threads, isa);
    std::string why_not;
    const std::vector<Call> calls = kind == 0   ? rivals->copy_calls()
                                    : kind == 1 ? rivals->stream_calls()
                                    : kind == 2 ? rivals->touch_calls()
                                                : rivals->loop_calls(why_not);
    first = static_cast<int>(turns.size());
    for (const Call& call : calls) {
      add([call, &set = workload.first()](int64_t count) {
        for (; count > 0; --count) call(set);
      });
    }
    return static_cast<int>(calls.size());
  }
};

extern "C" {

#define PEERS_API __attribute__((visibility("default")))

// NULL, and why in `why`, when the problem cannot be used.
PEERS_API peers_case* peers_open(const char* problem, char* why, size_t capacity) {
  try {
    return new peers_case(problem);
  } catch (const std::exception& error) {
    std::strncpy(why, error.what(), capacity - 1);
    why[capacity - 1] = '\0';
    return nullptr;
  }
}

PEERS_API void peers_use_cpu_time() { measuring_clock = CLOCK_THREAD_CPUTIME_ID; }

PEERS_API void peers_close(peers_case* opened) { delete opened; }

PEERS_API const peers_facts* peers_facts_of(const peers_case* opened) { return &opened->facts; }

// kind: 0 copy, 1 stream, 2 touch, 3 the loop. How many turns there are, first all variants on `threads` threads and then all on one;
// their numbers begin at *first and are valid until the case is closed.
PEERS_API int peers_rivals(peers_case* opened, int kind, int threads, int* first) {
  return opened->add_rivals(kind, threads, *first);
}

// A C function of three or eight arguments that each fill one register or stack slot; its result is dropped.
PEERS_API int peers_call3(peers_case* opened, void* function, void* const* a) {
  const auto call = reinterpret_cast<int32_t (*)(void*, void*, void*)>(function);
  return opened->add([call, x = a[0], y = a[1], z = a[2]](int64_t calls) {
    for (; calls > 0; --calls) call(x, y, z);
  });
}
PEERS_API int peers_call8(peers_case* opened, void* function, void* const* a) {
  using Function = void* (*)(void*, void*, void*, void*, void*, void*, void*, void*);
  const auto call = reinterpret_cast<Function>(function);
  return opened->add(
      [call, a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7]](int64_t calls) {
        for (; calls > 0; --calls) call(a0, a1, a2, a3, a4, a5, a6, a7);
      });
}

PEERS_API void peers_run(peers_case* opened, int turn, int64_t calls) { opened->turns[to_size(turn)](calls); }

// One call that is not counted, then samples of `batch` calls until the budget is spent: nanoseconds a call. Returns
// how many samples there are.
PEERS_API int peers_time(peers_case* opened, int turn, int64_t batch, double budget_ns, double* samples, int capacity) {
  const Turn& run = opened->turns[to_size(turn)];
  run(1);
  const double cost = reading_cost();
  const int64_t begin = reading();
  int count = 0;
  do {
    const int64_t start = reading();
    run(batch);
    const double elapsed = static_cast<double>(reading() - start) - cost;
    samples[count++] = (elapsed > 0 ? elapsed : 0) / static_cast<double>(batch);
  } while (count < capacity && static_cast<double>(reading() - begin) < budget_ns);
  return count;
}

}  // extern "C"

}  // namespace garner::perf
