#include "core/page/worksheet/worksheet_strips.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/cell_text.h"
#include "core/figure/text_fit.h"
#include "core/page/parts/covered.h"
#include "core/page/worksheet/asked_elsewhere.h"

namespace headscope {
namespace {

constexpr float cell_width = 46.0F;
constexpr float cell_height = 22.0F;
constexpr float names_height = 12.0F;
constexpr float names_size = 9.0F;
constexpr float numbers_size = 10.0F;
constexpr int usual_decimals = 3;

/// Draws a frame to write into. It contains the number unless `hides` is set.
void framed_number(PageText& page, const Box& box, double value, bool hides) {
  Figure& figure = page.page().figure;
  figure.items.emplace_back(StrokedRect{box, page.theme().quiet, 1.0F});
  if (hides) return;
  figure.items.emplace_back(Label{decimal_text(static_cast<float>(value), usual_decimals),
                                  {box.x + 0.5F * box.w, box.y + 0.5F * box.h},
                                  page.theme().text,
                                  numbers_size,
                                  Font::mono,
                                  HorizontalAnchor::center,
                                  VerticalAnchor::middle});
}

/// Tells which numbers of a row a sheet leaves empty. In a row that is given, that is the number asked for.
using IsEmpty = std::function<bool(std::size_t)>;

void one_row_of_numbers(PageText& page, const Explanation::Strip& strip, const IsEmpty& is_empty) {
  page.line({{strip.label, Font::sans, page_size::small, page.theme().text}});
  page.space(-4.0F);
  const auto per_line = std::max<std::size_t>(1, static_cast<std::size_t>(page.width() / cell_width));
  for (std::size_t first = 0; first < strip.values.size(); first += per_line) {
    const std::size_t end = std::min(first + per_line, strip.values.size());
    for (std::size_t i = first; i < end; ++i) {
      const float x = static_cast<float>(i - first) * cell_width;
      const std::string name = i < strip.names.size() ? strip.names[i] : std::to_string(i);
      page.page().figure.items.emplace_back(
          Label{fitted_text(name, cell_width - 4.0F, Font::sans, names_size, page.measure()),
                {x + 0.5F * cell_width, page.y()},
                page.theme().quiet,
                names_size,
                Font::sans,
                HorizontalAnchor::center,
                VerticalAnchor::top});
      framed_number(page, {x, page.y() + names_height, cell_width, cell_height},
                    static_cast<double>(strip.values[i]), is_empty(i));
    }
    page.space(names_height + cell_height + 6.0F);
  }
  page.space(4.0F);
}

void step_on_sheet(PageText& page, const Explanation::Step& step, bool hides) {
  constexpr float box_width = 96.0F;
  const float left = std::min(0.52F * page.width(), page.width() - box_width);
  const Box box{left, page.y(), box_width, cell_height};
  page.page().figure.items.emplace_back(
      Label{fitted_text(step.label, box.x - 8.0F, Font::mono, numbers_size, page.measure()),
            {0.0F, page.y() + 0.5F * cell_height},
            page.theme().text,
            numbers_size,
            Font::mono,
            HorizontalAnchor::left,
            VerticalAnchor::middle});
  framed_number(page, box, step.value, hides);
  page.space(cell_height + 5.0F);
}

/// Whether a strip of a derivation consists of numbers from this line in the same order. The strip may leave
/// out some numbers or set them to 0.
bool is_of_line(const Explanation::Strip& strip, const std::vector<float>& line) {
  if (strip.is_computed || strip.is_product || strip.values.empty()) return false;
  auto next = line.begin();
  for (const float value : strip.values) {
    if (value == 0.0F) continue;
    next = std::find(next, line.end(), value);
    if (next == line.end()) return false;
    ++next;
  }
  return next != line.begin() || strip.values.size() == line.size();
}

/// The row or column from which numbers of a derivation come.
std::vector<float> line_of(const Trace& trace, const Explanation::Source& source) {
  const Extent size = trace.extent(source.stage);
  const bool is_row = source.row.has_value();
  std::vector<float> line;
  for (int i = 0; i < (is_row ? size.cols : size.rows); ++i)
    line.push_back(trace.number(source.stage, is_row ? *source.row : i, is_row ? i : *source.col));
  return line;
}

/// The rows and columns that a derivation uses but does not show.
std::vector<Explanation::Strip> lines_left_out(const Trace& trace, const Explanation& explanation) {
  std::vector<Explanation::Strip> found;
  for (const Explanation::Source& source : explanation.sources) {
    if (source.row.has_value() == source.col.has_value()) continue;
    const StageInfo& about = info(source.stage.kind);
    const bool is_row = source.row.has_value();
    std::vector<float> line = line_of(trace, source);
    const auto n = static_cast<int>(line.size());
    const auto shows = [&](const Explanation::Strip& strip) { return is_of_line(strip, line); };
    if (std::ranges::any_of(explanation.strips, shows) || std::ranges::any_of(found, shows)) continue;
    Explanation::Strip strip{std::string(about.symbol), std::move(line), {}};
    const bool is_alone = (is_row ? about.rows : about.cols) == Axis::single;
    const Axis across = is_row ? about.rows : about.cols;
    const std::string name = trace.label(source.stage, across, is_row ? *source.row : *source.col);
    if (!is_alone)
      strip.label += runs_over_tokens(across) ? " “" + name + "”" : (is_row ? " row " : " column ") + name;
    const Axis along = is_row ? about.cols : about.rows;
    for (int i = 0; runs_over_tokens(along) && i < n; ++i)
      strip.names.push_back(trace.label(source.stage, along, i));
    found.push_back(std::move(strip));
  }
  return found;
}

}  // namespace

void worksheet_derivation(PageText& page, const PageInputs& in, const Explanation& explanation, bool hides) {
  const Trace& trace = *in.trace;
  std::vector<Explanation::Source> asked_sources = explanation.sources;
  std::erase_if(asked_sources, [&](const auto& source) { return !is_asked_elsewhere(in, source); });
  const auto is_asked_line = [&](const Explanation::Strip& strip) {
    return std::ranges::any_of(asked_sources, [&](const Explanation::Source& source) {
      return source.row.has_value() != source.col.has_value() && is_of_line(strip, line_of(trace, source));
    });
  };
  for (const Explanation::Strip& strip : explanation.strips) {
    const auto asked = asked_in_strip(trace, explanation, strip);
    const bool is_asked = is_asked_line(strip);
    one_row_of_numbers(
        page, strip, [&](std::size_t i) { return is_asked || (hides && (strip.is_computed || asked == i)); });
  }
  for (const Explanation::Strip& strip : lines_left_out(trace, explanation)) {
    const bool is_asked = is_asked_line(strip);
    one_row_of_numbers(page, strip, [is_asked](std::size_t) { return is_asked; });
  }
  for (const Explanation::Step& step : explanation.steps) {
    const bool is_result = &step == &explanation.steps.back();
    const bool is_to_find = hides && (is_result || !step.cell);
    const bool is_asked = step.cell && is_asked_elsewhere(in, *step.cell);
    step_on_sheet(page, step, is_to_find || is_asked);
  }
  if (!asked_sources.empty() && hides)
    page.paragraph(
        "Empty cells of given rows are found on another page, or follow from what is found there.");
}

}  // namespace headscope
