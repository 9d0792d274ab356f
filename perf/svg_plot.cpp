// SPDX-License-Identifier: Apache-2.0
#include "perf/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace garner::perf {
namespace {

constexpr double width = 960;

std::string mark_svg(char mark, double x, double y, const std::string& style, const std::string& hint) {
  const std::string title = hint.empty() ? "" : "<title>" + escaped(hint) + "</title>";
  switch (mark) {
    case 'o':
      return fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\">{}</circle>\n", style, x, y,
                         title);
    case 's':
      return fmt::format("<rect class=\"mark {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"8.5\" height=\"8.5\">{}</rect>\n",
                         style, x - 4.25, y - 4.25, title);
    case '^':
      return fmt::format("<path class=\"mark {}\" d=\"M{:.1f} {:.1f}l5.5 9.5h-11z\">{}</path>\n", style, x, y - 6,
                         title);
    case 'd':
      return fmt::format("<path class=\"hollow {}\" d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\">{}</path>\n", style, x, y - 5,
                         title);
    case '-': return fmt::format("<path class=\"cap {}\" d=\"M{:.1f} {:.1f}h16\">{}</path>\n", style, x - 8, y, title);
    case '|': return fmt::format("<path class=\"cap {}\" d=\"M{:.1f} {:.1f}v16\">{}</path>\n", style, x, y - 8, title);
    default: return "";
  }
}

std::string text_svg(double x, double y, const char* anchor, const std::string& style, const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", style, x, y, anchor,
                     escaped(text));
}

// A logarithmic axis over [low, high], in screen units.
struct LogAxis {
  double low, high, from, to;
  double at(double value) const {
    return from + (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) * (to - from);
  }
};

void widen(double& low, double& high, double value) {
  if (!(value > 0) || !std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

// 1, 2, 5, 10, 20, ... inside the axis; only the tens when there are many.
std::vector<double> decade_ticks(const LogAxis& axis) {
  std::vector<double> ticks;
  const bool many = axis.high / axis.low > 3000;
  for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double tick = step * decade;
      if (tick >= axis.low && tick <= axis.high && (step == 1 || !many)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string size_text(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

std::string size_grid(const LogAxis& x, const LogAxis& y) {
  std::string svg;
  const double doublings = std::log2(x.high / x.low);
  const int step = doublings > 16 ? 3 : doublings > 8 ? 2 : 1;
  for (int power = static_cast<int>(std::ceil(std::log2(x.low))); std::exp2(power) <= x.high; ++power) {
    if (power % step != 0) continue;
    const double place = x.at(std::exp2(power));
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", place, y.from, y.to);
    svg += text_svg(place, y.from + 18, "middle", "tick", size_text(std::exp2(power)));
  }
  for (const double tick : decade_ticks(y)) {
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", x.from, y.at(tick), x.to);
    svg += text_svg(x.from - 8, y.at(tick) + 4, "end", "tick", fmt::format("{:g}", tick));
  }
  return svg;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string size_plot_svg(const SizePlot& plot) {
  constexpr double height = 440, left = 62, right = 20, top = 14, bottom = 52;
  LogAxis x{std::numeric_limits<double>::infinity(), 0, left, width - right};
  LogAxis y{std::numeric_limits<double>::infinity(), 0, height - bottom, top};
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      widen(x.low, x.high, point.x);
      widen(y.low, y.high, point.y);
    }
  }
  if (x.high == 0 || y.high == 0) return "";
  x.low /= 1.5, x.high *= 1.5, y.low /= 1.3, y.high *= 1.3;
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"GB/s against size\">\n", width, height);
  svg += size_grid(x, y);
  svg += text_svg((left + width - right) / 2, height - 10, "middle", "axis", "bytes of data, indices and output");
  svg += fmt::format(
      "<text class=\"axis\" transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">GB/s</text>\n",
      (top + height - bottom) / 2);
  // Marks after lines, so that none is crossed out.
  for (const PlotSeries& series : plot.series) {
    if (!series.line) continue;
    std::string path;
    for (const PlotPoint& point : series.points)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(point.x), y.at(point.y));
    svg += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", series.style, path);
  }
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points)
      svg += mark_svg(series.mark, x.at(point.x), y.at(point.y), series.style, point.hint);
  }
  return svg + "</svg>\n";
}

std::string row_chart_svg(const RowChart& chart) {
  constexpr double row_height = 22, top = 12, bottom = 46, left = 250, right = 150;
  const double end = top + row_height * static_cast<double>(chart.rows.size());
  double high = chart.reference * 1.05;
  for (const ChartRow& row : chart.rows) {
    for (const RowMark& mark : row.marks) high = std::max(high, mark.value * 1.02);
  }
  const auto place = [high](double value) { return left + value / high * (width - left - right); };
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", width, end + bottom,
                                escaped(chart.axis));
  const double step = high <= 0.6 ? 0.1 : high <= 1.6 ? 0.2 : high <= 4 ? 0.5 : high <= 10 ? 1 : std::ceil(high / 10);
  for (int i = 0; i * step <= high; ++i) {
    const double tick = place(i * step);
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", tick, top, end);
    svg += text_svg(tick, end + 16, "middle", "tick", fmt::format("{:g}", std::round(i * step * 100) / 100));
  }
  svg += text_svg((left + width - right) / 2, end + 38, "middle", "axis", chart.axis);
  double y = top + row_height / 2;
  for (const ChartRow& row : chart.rows) {
    constexpr size_t longest = 36;
    const std::string name = row.name.size() <= longest ? row.name : row.name.substr(0, longest - 2) + "..";
    svg += fmt::format("<g><title>{}</title>\n", escaped(row.name)) + text_svg(left - 8, y + 4, "end", "label", name) +
           "</g>\n";
    for (const RowMark& mark : row.marks) {
      if (mark.mark == 'b') {
        svg += fmt::format(
            "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
            "height=\"13\"><title>{}</title></rect>\n",
            mark.style, left, y - 6.5, std::max(1.0, place(mark.value) - left), escaped(mark.hint));
      } else {
        svg += mark_svg(mark.mark, place(mark.value), y, mark.style, mark.hint);
      }
    }
    svg += text_svg(width - right + 8, y + 4, "start", "note", row.note);
    y += row_height;
  }
  svg += fmt::format("<path class=\"reference\" d=\"M{:.1f} {:.1f}V{:.1f}\"><title>{}</title></path>\n",
                     place(chart.reference), top - 6, end, escaped(chart.reference_name));
  return svg + "</svg>\n";
}

std::string legend_key_svg(const std::string& style, char mark, bool line) {
  std::string svg = "<svg class=\"key\" viewBox=\"0 0 30 16\" aria-hidden=\"true\">";
  if (line) svg += fmt::format("<path class=\"line {}\" d=\"M1 8H29\"/>", style);
  if (mark == 'b') {
    svg += fmt::format("<rect class=\"bar {}\" x=\"3\" y=\"2\" width=\"24\" height=\"12\"/>", style);
  } else {
    svg += mark_svg(mark, 15, 8, style, "");
  }
  return svg + "</svg>";
}

}  // namespace garner::perf
