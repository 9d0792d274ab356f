// SPDX-License-Identifier: Apache-2.0
#include "perf/rounds.h"

#include <algorithm>

#include "perf/interrupt.h"
#include "perf/timing.h"

namespace garner::perf {
namespace {

constexpr double sample_ns = 10e3;         // shorter calls are batched until a sample lasts this long
constexpr double long_call_ns = 20e6;      // longer than any cache lasts: such calls need no warming up
constexpr size_t samples_of_turn = 50000;  // kept; an hour of samples would not fit into memory
constexpr double round_ns = 25e6;
constexpr int max_rounds = 41;
constexpr int rounds_to_be_steady = 9;  // an interval needs some to mean anything
constexpr double steady_fraction = 0.005;
constexpr double patience = 8;  // times the seconds asked for, before rounds that are still missing are given up,
constexpr double least_patience_ns = 1e9;  // but never earlier than this

}  // namespace

void Contestant::warm_up(Workload& workload) {
  int64_t calls = 0;
  double elapsed = 0;
  const auto time_call = [&](int64_t start) {
    call_(workload.next());
    ++calls;
    elapsed = static_cast<double>(now_ns() - start);
  };
  time_call(now_ns());
  if (elapsed < long_call_ns) {
    calls = 0;
    const int64_t start = now_ns();
    do {
      time_call(start);
    } while (elapsed < 2e6 && calls < 100000);
  }
  call_ns_ = elapsed / static_cast<double>(calls);
  batch_ = std::max<int64_t>(1, static_cast<int64_t>(sample_ns / std::max(call_ns_, 1.0)));
}

void Contestant::take_turn(Workload& workload, double budget_ns) {
  if (batch_ == 0) warm_up(workload);
  if (interrupted()) return;
  // The caches as its own calls leave them, not those of the one before.
  if (call_ns_ < long_call_ns) call_(workload.next());
  std::vector<double> samples;
  const int64_t start = now_ns();
  int64_t end = start;
  do {
    const int64_t begin = now_ns();
    for (int64_t i = 0; i < batch_; ++i) call_(workload.next());
    end = now_ns();
    const double elapsed = static_cast<double>(end - begin) - timer_cost_ns();
    calls_ += batch_;
    if (samples.size() < samples_of_turn) samples.push_back(std::max(elapsed, 0.0) / static_cast<double>(batch_));
  } while (static_cast<double>(end - start) < budget_ns && !interrupted());
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  round_medians_.push_back(median(std::move(samples)));
}

Call pick_best(const std::vector<Call>& variants, Workload& workload) {
  if (variants.size() == 1) return variants[0];
  std::vector<Contestant> contestants;
  for (const Call& variant : variants) contestants.emplace_back(variant);
  for (Contestant& contestant : contestants) {
    if (interrupted()) return variants[0];
    contestant.warm_up(workload);
  }
  const auto by = [&contestants](auto&& key) {
    return std::min_element(contestants.begin(), contestants.end(),
                            [&](const Contestant& a, const Contestant& b) { return key(a) < key(b); })
        ->call();
  };
  // Of long calls one is enough: they differ by more than they vary, and seconds are dear.
  if (contestants[0].warm_up_ns() >= long_call_ns) return by([](const Contestant& c) { return c.warm_up_ns(); });
  for (int round = 0; round < 3; ++round) {
    for (Contestant& contestant : contestants) contestant.take_turn(workload, 1e6);
  }
  return by([](const Contestant& c) { return median(c.round_medians()); });
}

Rounds run_rounds(const std::vector<Contestant*>& turns, const std::vector<Contestant*>& steady, Workload& workload,
                  double seconds) {
  const double total_ns = seconds * 1e9;
  const int planned = std::clamp(static_cast<int>(total_ns / round_ns), min_rounds, max_rounds);
  const double budget_ns = total_ns / planned / static_cast<double>(turns.size());
  const int64_t start = now_ns();
  Rounds rounds;
  while (rounds.done < planned && !interrupted()) {
    const double elapsed = static_cast<double>(now_ns() - start);
    if (rounds.done >= min_rounds && elapsed > total_ns) break;
    if (rounds.done > 0 && elapsed > std::max(patience * total_ns, least_patience_ns)) break;
    for (Contestant* contestant : turns) contestant->take_turn(workload, budget_ns);
    ++rounds.done;
    rounds.steady = rounds.done >= rounds_to_be_steady &&
                    std::all_of(steady.begin(), steady.end(), [](const Contestant* contestant) {
                      return median_interval(contestant->round_medians()).within(steady_fraction);
                    });
    if (rounds.steady) break;
  }
  rounds.out_of_time = rounds.done < min_rounds && !interrupted();
  return rounds;
}

std::vector<double> round_ratios(const Contestant& a, const Contestant& b) {
  std::vector<double> ratios;
  const size_t rounds = std::min(a.round_medians().size(), b.round_medians().size());
  for (size_t i = 0; i < rounds; ++i) {
    if (b.round_medians()[i] > 0) ratios.push_back(a.round_medians()[i] / b.round_medians()[i]);
  }
  return ratios;
}

}  // namespace garner::perf
