// SPDX-License-Identifier: Apache-2.0
// Plots as inline SVG. Colours come from the page's style sheet, by class, so that they follow its light or dark scheme.
#pragma once

#include <string>
#include <vector>

namespace garner::perf {

// Text for HTML and SVG, in elements and in quoted attributes.
std::string escaped(const std::string& text);

struct PlotPoint {
  double x;
  double y;
  std::string hint;  // shown when the pointer rests on it
};

// A line through the points in their order, a mark at each, or both.
struct PlotSeries {
  std::string name;   // of the legend
  std::string style;  // class: colour and dashes
  char mark = 0;      // 'o', 's' (square), '^', 'd' (hollow diamond), '-' and '|' (a stroke); 0: none
  bool line = false;
  std::vector<PlotPoint> points;
};

// Both axes logarithmic: x in bytes, y in GB/s.
struct SizePlot {
  std::vector<PlotSeries> series;
};
std::string size_plot_svg(const SizePlot& plot);

// One line of a chart of rows: a name on the left, marks at values on the right.
struct RowMark {
  double value;
  std::string style;
  char mark;  // as above; 'b': a bar from zero to the value
  std::string hint;
};
struct ChartRow {
  std::string name;
  std::string note;  // at the right end
  std::vector<RowMark> marks;
};
struct RowChart {
  std::string axis;      // what the values are
  double reference = 1;  // drawn as a line
  std::string reference_name;
  std::vector<ChartRow> rows;
};
std::string row_chart_svg(const RowChart& chart);

// A legend entry as a small SVG of its own.
std::string legend_key_svg(const std::string& style, char mark, bool line);

}  // namespace garner::perf
