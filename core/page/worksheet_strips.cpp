#include "core/page/worksheet_strips.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/figure/cell_text.h"
#include "core/figure/text_fit.h"
#include "core/page/covered.h"

namespace headscope {
namespace {

constexpr float cell_width = 46.0F;
constexpr float cell_height = 22.0F;
constexpr float names_height = 12.0F;
constexpr float names_size = 9.0F;
constexpr float numbers_size = 10.0F;
constexpr int usual_decimals = 3;

/// A frame to write into, with the number in it unless it is hidden.
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

/// `asked`: the one number of a row that is given that is not.
void one_row_of_numbers(PageText& page, const Explanation::Strip& strip, bool hides,
                        const std::optional<std::size_t>& asked) {
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
                    static_cast<double>(strip.values[i]), hides && (strip.is_computed || asked == i));
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

}  // namespace

void worksheet_derivation(PageText& page, const Trace& trace, const Explanation& explanation, bool hides) {
  for (const Explanation::Strip& strip : explanation.strips)
    one_row_of_numbers(page, strip, hides, asked_in_strip(trace, explanation, strip));
  for (const Explanation::Step& step : explanation.steps) {
    const bool is_result = &step == &explanation.steps.back();
    step_on_sheet(page, step, hides && (is_result || !is_given(trace, explanation, step)));
  }
}

}  // namespace headscope
