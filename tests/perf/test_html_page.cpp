// SPDX-License-Identifier: Apache-2.0
#include "perf/html_page.h"

#include "perf/svg_plot.h"
#include "tests/perf/support.h"
#include "tests/support/catch.h"

namespace garner::perf {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

std::vector<Record> sweep() {
  std::vector<Record> records;
  for (const char* extent : {"1024", "4096", "65536", "1048576"}) {
    Record record = sample_record(std::string("gathernd:f32:") + extent + ":i64:262144x1:seed=" + extent);
    record.data_bytes = 4 * std::stoll(extent);
    records.push_back(record);
  }
  return records;
}

TEST_CASE("Every element that is opened is closed") {
  const std::string page = html_page(sweep());
  for (const char* element : {"html", "body", "svg", "figure", "table", "tr", "td", "text", "title", "span", "div"})
    CHECK(count(page, std::string("<") + element + ">") + count(page, std::string("<") + element + " ") ==
          count(page, std::string("</") + element + ">"));
}

TEST_CASE("The page needs no network and knows both colour schemes") {
  const std::string page = html_page(sweep());
  for (const char* part : {"http:", "https:", "src=", "@import", "url(", "<script", "<link"})
    CHECK_FALSE(holds(page, part));
  CHECK(holds(page, "prefers-color-scheme: dark"));
}

TEST_CASE("A sweep is drawn as lines with all ceilings, unrelated problems as strokes above their marks") {
  const std::string lines = html_page(sweep());
  for (const char* series : {"line ceiling", "line probe-copy", "line probe-stream", "line probe-touch", "line jit"})
    CHECK(holds(lines, std::string("<path class=\"") + series));
  CHECK(count(lines, "<circle class=\"mark jit\"") == 4 + 1);  // and the legend's
  std::vector<Record> unrelated{sample_record(), sample_record("gatherelements:f32:8x32:i64:8x8:axis=1")};
  const std::string strokes = html_page(unrelated);
  CHECK_FALSE(holds(strokes, "<path class=\"line"));
  CHECK(count(strokes, "<path class=\"cap ceiling\"") == 2 + 1);
}

TEST_CASE("Families differ in more than extents") {
  const auto family = [](const char* problem) { return family_of(sample_record(problem)); };
  CHECK(family("gathernd:f32:64:i64:100x1:seed=1") == family("gathernd:f32:4096:i64:9x1:seed=2"));
  CHECK(family("gathernd:f32:64:i64:100x1") != family("gathernd:f16:64:i64:100x1"));
  CHECK(family("gathernd:f32:64x64:i64:100x1") != family("gathernd:f32:64x64:i64:100x2"));
  CHECK(family("gathernd:f32:64x64:i64:100x2") != family("gathernd:f32:64x64:i64:100x2:pattern=sorted"));
  CHECK(family("gatherelements:f32:8x32:i64:8x8") == family("gatherelements:f32:8x64:i64:8x16"));
}

TEST_CASE("Thread scaling appears when a problem has several thread counts") {
  std::vector<Record> records{sample_record(), sample_record()};
  CHECK_FALSE(holds(html_page(records), "<h2>Threads</h2>"));
  records[1].threads = 2;
  records[1].p50_ns /= 1.75;
  const std::string page = html_page(records);
  CHECK(holds(page, "<h2>Threads</h2>"));
  CHECK(holds(page, "x1.75 on 2"));
}

TEST_CASE("Names cannot break out of the page") {
  Record record = sample_record();
  record.name = "<script>\"&'";
  const std::string page = html_page({record});
  CHECK_FALSE(holds(page, "<script>"));
  CHECK(holds(page, "&lt;script&gt;&quot;&amp;&#39;"));
}

TEST_CASE("Wrong results and the environment are shown") {
  Record record = sample_record();
  record.verified = false;
  const std::string page = html_page({record});
  CHECK(holds(page, ">WRONG<"));
  CHECK(holds(page, "Some CPU"));
  CHECK(holds(html_page({}), "No results."));
}

TEST_CASE("A row without a ceiling has a place in the plot and the table") {
  Record record = sample_record();
  record.ceiling.reset();
  record.of_ceiling_rounds.clear();
  const std::string page = html_page({record});
  CHECK(holds(page, "<circle class=\"mark jit\""));
  CHECK_FALSE(holds(page, "nan"));
}

}  // namespace
}  // namespace garner::perf
