// SPDX-License-Identifier: Apache-2.0
#include "perf/problem.h"

#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

TEST_CASE("A problem's canonical form gives the same problem") {
  for (const char* text :
       {"gathernd:f32:1000x256x10x15:i64:25x125x3", "gathernd@openvino-5:f32:30x2x100x35:i32:30x2x3x1:batch_dims=2",
        "gatherelements:f16:1x8400x80:i64:1x300x80:axis=1:pattern=zipf-1.1:negative=0.25:seed=7",
        "gathernd:x12:40x30:u8:5x2:bounds=clamp:wrap=off:data_strides=-30x-1:offset=3:bad=0.5",
        "gathernd:f32:9:i64:1"}) {
    CHECK(format_problem(parse_problem(text)) == text);
  }
}

TEST_CASE("A malformed problem is shown with a caret under what is wrong") {
  struct Case {
    const char* text;
    const char* part;  // where the caret stands
  };
  for (const Case& c :
       {Case{"gather:f32:4:i64:2x1", "gather:"}, Case{"gathernd:f33:4:i64:2x1", "f33"},
        Case{"gathernd:f32:4x:i64:2x1", ":i64"}, Case{"gathernd:f32:4:i64:2x1:colour=red", "colour"},
        Case{"gathernd:f32:4:i64:2x1:pattern=spiral", "spiral"}, Case{"gathernd:f32:4:i64:2x1:negative=2", "2"}}) {
    INFO(c.text);
    const std::string message = refusal([&c] { parse_problem(c.text); });
    const size_t text = message.find(c.text);
    const size_t caret = message.find('^');
    REQUIRE(text != std::string::npos);
    REQUIRE(caret != std::string::npos);
    const auto column = [&message](size_t at) { return at - (message.rfind('\n', at) + 1); };
    CHECK(column(caret) == column(text) + std::string(c.text).rfind(c.part));
  }
  CHECK(holds(refusal([] { parse_problem("gathernd:f32:4:i64:2x1:colour=red"); }), "colour"));
}

}  // namespace
}  // namespace garner::perf
