// SPDX-License-Identifier: Apache-2.0
#include "src/log_line.h"

#include "src/describe.h"
#include "src/problem_string.h"

namespace garner {
namespace {

// Holds any problem: six lists of sixteen 64-bit numbers and the names.
constexpr size_t line_capacity = 3072;

void write_start(TextWriter& text, const char* event, const garner_plan& plan) {
  text << "garner " << event << ' ';
  write_problem(text, plan.operation);
  text << " path=" << path_name(plan.decision.path) << " kernel=";
  write_kernel_name(text, plan);
}

}  // namespace

void log_plan(const garner_plan& plan) {
  char line[line_capacity];
  TextWriter text(line, sizeof(line));
  write_start(text, "plan", plan);
  plan.context->log.write(line);
}

void log_execution(const garner_plan& plan, const ThreadPlan& threads, int64_t nanoseconds, garner_status status) {
  char line[line_capacity];
  TextWriter text(line, sizeof(line));
  write_start(text, "execute", plan);
  text << " threads=" << threads.sharding.threads << " shards=" << threads.sharding.shards() << " ns=" << nanoseconds
       << " status=" << garner_status_name(status);
  plan.context->log.write(line);
}

}  // namespace garner
