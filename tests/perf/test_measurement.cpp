// SPDX-License-Identifier: Apache-2.0
// What a measured row says is what the plan that ran says.
#include "perf/measurement.h"

#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

Measurement measure_briefly(const std::string& text, const Choice& choice = {}, int threads = 1, bool cold = false) {
  MeasureOptions options;
  options.choice = choice;
  options.seconds = 0.01;
  options.baseline = true;
  DataPool pool(Pages::normal);
  ThreadTeam team(threads, 0);
  return measure(named_problem("", text), threads, cold, options, pool, team);
}

// The plan that the library makes of the same problem, asked for through the C API alone.
PlanFacts planned(const std::string& text, const Choice& choice, int threads) {
  const Problem problem = parse_problem(text);
  const ProblemTensors tensors = tensors_of(problem, false);
  const Context context(choice);
  Plan plan;
  garner_error error = GARNER_ERROR_INIT;
  REQUIRE(plan.create(context, operator_of(problem), tensors.data, tensors.indices,
                      tensors.output ? &*tensors.output : nullptr, &error) == GARNER_OK);
  return PlanFacts(plan, threads);
}

TEST_CASE("Path, kernel, types and bytes of a row come from the plan that ran") {
  struct Case {
    const char* problem;
    const char* dtype;
    const char* index_dtype;
    int64_t data, indices, output;
  };
  const Case cases[] = {
      {"gathernd:f32:64x64:i64:500x2", "f32", "i64", 16384, 8000, 2000},
      {"gathernd:bf16:100x33:u8:77x1", "bf16", "u8", 6600, 77, 5082},
      {"gathernd:x7:50:i16:30x1", "x7", "i16", 350, 60, 210},
      {"gathernd@openvino-5:f64:2x3x40:i32:2x3x50x1:batch_dims=2", "f64", "i32", 1920, 1200, 2400},
      {"gatherelements:c128:10x20:i32:5x20:axis=0", "c128", "i32", 3200, 400, 1600},
      {"gatherelements:f16:20x30:i64:20x10:axis=1:negative=0.5", "f16", "i64", 1200, 1600, 400},
      {"gathernd:f32:30x40:i64:50x1:output_strides=60x1", "f32", "i64", 4800, 400, 8000},
  };
  for (const char* path : {"", "copy", "scalar"}) {
    Choice choice;
    choice.path = parse_path(path);
    for (const Case& c : cases) {
      INFO(c.problem << " path=" << path);
      const Measurement m = measure_briefly(c.problem, choice, 2);
      const PlanFacts facts = planned(c.problem, choice, 2);
      for (const char* key :
           {"path", "kernel", "isa", "shards", "slice_bytes", "data_bytes", "index_bytes", "output_bytes"})
        CHECK(m.plan.get(key) == facts.get(key));
      if (*path != 0) CHECK(m.plan.get("path") == path);
      CHECK(m.dtype() == c.dtype);
      CHECK(m.index_dtype() == c.index_dtype);
      CHECK(m.plan.number("data_bytes") == c.data);
      CHECK(m.plan.number("index_bytes") == c.indices);
      CHECK(m.plan.number("output_bytes") == c.output);
      CHECK(m.moved_bytes() == c.indices + 2 * c.output);
    }
  }
}

TEST_CASE("Every row that moves something is verified and has a ceiling, dense or not") {
  for (const char* problem :
       {"gathernd:f32:4096:i64:2000x1", "gathernd:f32:16:i64:2000x1", "gathernd:x3:50x4:i64:300x1",
        "gathernd:str:50:i64:300x1", "gatherelements:x12:20x30:i64:20x10:axis=1",
        "gathernd:f32:40x30:i64:500x2:data_strides=1x40:output_strides=3:indices_strides=2x1",
        "gathernd:f32:40x30:i64:500x2:indices_strides=0x0", "gathernd:f32:64:i64:1x1"}) {
    for (const bool cold : {false, true}) {
      INFO(problem << (cold ? " cold" : " warm"));
      const Measurement m = measure_briefly(problem, {}, 1, cold);
      CHECK(m.verified == true);
      CHECK(m.difference.empty());
      REQUIRE(m.ceiling);
      CHECK(m.ceiling->copy_ns > 0);
      CHECK(m.ceiling->stream_ns > 0);
      CHECK(m.ceiling->ns >= m.ceiling->copy_ns);
      CHECK(m.of_ceiling() > 0);
      CHECK(m.of_ceiling_rounds.size() == static_cast<size_t>(m.rounds));
      const bool excused = !m.notes.empty() && holds(m.notes.front() + m.notes.back(), "in the time");
      CHECK((m.rounds >= 7 || excused));
      CHECK(m.ns.p50 > 0);
      CHECK((m.round_ns.low <= m.round_ns.median && m.round_ns.median <= m.round_ns.high));
      CHECK((cold ? m.buffer_sets > 1 : m.buffer_sets == 1));
    }
  }
}

TEST_CASE("A row that moves nothing says that it has no ceiling") {
  const Measurement m = measure_briefly("gathernd:f32:10x4:i64:0x1");
  CHECK_FALSE(m.ceiling);
  REQUIRE(!m.notes.empty());
  CHECK(m.notes.back() == "no ceiling: nothing is moved");
}

TEST_CASE("The touch probe is left out where the table fits into registers") {
  CHECK_FALSE(measure_briefly("gathernd:f32:16:i64:2000x1").ceiling->touch_ns);
  CHECK(measure_briefly("gathernd:f32:1000:i64:2000x1").ceiling->touch_ns);
}

TEST_CASE("A problem that the library or an index refuses is an InputError with the library's text") {
  CHECK(holds(refusal([] { measure_briefly("gathernd:f32:4:i64:2x5"); }), "INVALID_SHAPE"));
  CHECK(holds(refusal([] { measure_briefly("gathernd:f32:40:i64:500x1:bad=0.5"); }), "OUT_OF_BOUNDS"));
}

TEST_CASE("Memory is refused before it is taken, with the amount") {
  const std::string text = refusal([] { measure_briefly("gathernd:f32:1000000000000:i64:8x1"); });
  CHECK(holds(text, "not enough memory"));
  CHECK(holds(text, "4.0 TB"));
}

}  // namespace
}  // namespace garner::perf
