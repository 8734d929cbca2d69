#include "core/page/lessons/lessons_page.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/figure/theme.h"
#include "core/lesson/lessons.h"
#include "core/lesson/read_lesson.h"
#include "core/page/parts/page_text.h"
#include "core/page/parts/prose_picture.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float gap = 12.0F;  ///< Between cards.
constexpr float padding = 12.0F;
constexpr float number_width = 36.0F;
constexpr float number_size = 22.0F;
constexpr float title_size = 16.0F;
constexpr float summary_size = 13.0F;
constexpr float above_summary = 24.0F;  ///< The height of the title.

struct Card {
  std::string name;
  LessonOutline outline;
  Figure summary;
};

std::vector<Card> cards(float width, const Theme& theme, const MeasureText& measure) {
  std::vector<Card> all;
  for (const LessonFile& file : lesson_files()) {
    Card card{std::string(file.name), outline_of_lesson(std::string(file.name), file.text), {}};
    const float room = width - 2.0F * padding - number_width;
    card.summary = prose_picture(card.outline.summary, room, summary_size, theme.text, theme, measure).figure;
    all.push_back(std::move(card));
  }
  return all;
}

/// Draws a card: its number on the left, and beside it the title with the number of steps, and the summary.
Page drawn(const Card& card, std::size_t number, const Box& box, const Theme& theme) {
  Page page;
  std::vector<Item>& items = page.figure.items;
  const Box frame{0.0F, 0.0F, box.w, box.h};
  constexpr float rounding = 8.0F;
  items.emplace_back(FilledRect{frame, theme.ground, rounding});
  items.emplace_back(StrokedRect{frame, theme.line, 1.0F, rounding});
  const float middle = padding + 0.5F * title_size;
  const auto label = [&](std::string text, float x, float size, Font font, Color color,
                         HorizontalAnchor anchor) {
    items.emplace_back(
        Label{std::move(text), {x, middle}, color, size, font, anchor, VerticalAnchor::middle});
  };
  label(std::to_string(number), padding, number_size, Font::sans_bold, theme.accent, HorizontalAnchor::left);
  label(card.outline.title, padding + number_width, title_size, Font::sans_bold, theme.text,
        HorizontalAnchor::left);
  label(counted(static_cast<long long>(card.outline.steps.size()), "step"), box.w - padding,
        page_size::control, Font::sans, theme.quiet, HorizontalAnchor::right);
  append(page.figure, card.summary, padding + number_width, padding + above_summary);
  page.regions.push_back({frame, LessonCard{card.name}});
  page.figure.width = box.w;
  page.figure.height = box.h;
  return page;
}

}  // namespace

Page lessons_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float least_card = 380.0F;
  constexpr float most_card = 720.0F;
  constexpr float least_height = 96.0F;
  constexpr float most_height = 168.0F;
  constexpr std::size_t most_columns = 3;
  PageText page(in, tools, size.width);
  page.space(page_size::spacing);
  const float top = page.y();
  const auto fitting = static_cast<std::size_t>(std::max(1.0F, (size.width + gap) / (least_card + gap)));
  const std::size_t n_columns = std::min(fitting, most_columns);
  const float share = (size.width + gap) / static_cast<float>(n_columns) - gap;
  const float width = std::floor(std::min(share, most_card));
  const std::vector<Card> all = cards(width, page.theme(), tools.measure);
  const auto n_rows = static_cast<float>((all.size() + n_columns - 1) / n_columns);
  float height = std::clamp((size.height - top + gap) / n_rows - gap, least_height, most_height);
  for (const Card& card : all)
    height = std::max(height, 2.0F * padding + above_summary + card.summary.height);
  height = std::floor(height);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto column = static_cast<float>(i % n_columns);
    const auto row = static_cast<float>(i / n_columns);
    const Box box{column * (width + gap), top + row * (height + gap), width, height};
    append(page.page(), drawn(all[i], i + 1, box, page.theme()), box.x, box.y);
  }
  page.space(n_rows * (height + gap) - gap);
  return page.take();
}

}  // namespace headscope
