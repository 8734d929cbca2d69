#include <algorithm>
#include <cmath>

#include "core/figure/text_fit.h"
#include "core/figure/theme.h"
#include "core/lesson/lesson.h"
#include "core/lesson/read_lesson.h"
#include "core/page/pages.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/prose_picture.h"
#include "core/split_text.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float gap = 10.0F;  ///< Between cards.
constexpr float padding = 12.0F;
constexpr float number_width = 36.0F;
constexpr float number_size = 22.0F;
constexpr float title_size = 16.0F;
constexpr float summary_size = 13.0F;
constexpr float above_summary = 24.0F;  ///< The height of the title.

/// The summaries of lessons, with the headings of their steps below them on request.
std::vector<Page> texts_of_cards(const std::vector<LessonOutline>& lessons, bool with_steps, float width,
                                 const PageInputs& in, const PageTools& tools) {
  std::vector<Page> texts;
  for (const LessonOutline& lesson : lessons) {
    PageBuilder text(in, tools, width);
    text.add(
        prose_picture(lesson.summary, width, summary_size, text.theme().text, text.theme(), tools.measure)
            .figure);
    if (with_steps) text.paragraph(join_texts(lesson.steps, " · "), {}, page_size::control);
    texts.push_back(text.take());
  }
  return texts;
}

/// “6 steps”, “step 3 of 6” or “6 steps, done”.
std::string progress_words(const UserLesson& about, const LessonProgress& progress) {
  if (about.is_refused) return "cannot be opened";
  if (about.n_steps == 0) return {};
  const std::string all = count_text(about.n_steps, "step");
  const auto reached = progress.find(about.file);
  if (reached == progress.end()) return all;
  return reached->second > about.n_steps
             ? all + ", done"
             : "step " + std::to_string(reached->second) + " of " + std::to_string(about.n_steps);
}

/// Draws the background of a card, with its title and progress on one line.
Page empty_card(const UserLesson& about, const PageSize& size, float title_x, const PageInputs& in,
                const MeasureText& measure) {
  const Theme& theme = in.theme();
  Page page;
  Figure& figure = page.figure;
  const Box frame{0.0F, 0.0F, size.width, size.height};
  constexpr float rounding = 8.0F;
  add_box(figure, frame, theme.ground, rounding);
  add_frame(figure, frame, theme.line, 1.0F, rounding);
  const float middle = padding + 0.5F * title_size;
  const std::string steps = progress_words(about, in.lesson_progress);
  const float room =
      size.width - title_x - 2.0F * padding - measure(steps, Font::sans, page_size::control).width;
  add_text(figure, elided_text(about.title, room, Font::sans_bold, title_size, measure), {title_x, middle},
           theme.text, title_size, Font::sans_bold);
  add_text(figure, steps, {size.width - padding, middle},
           about.is_refused                          ? theme.warning
           : in.lesson_progress.contains(about.file) ? theme.accent
                                                     : theme.quiet,
           page_size::control, Font::sans, HorizontalAnchor::right);
  page.regions.push_back({frame, LessonCard{about.file, about.n_steps}});
  page.figure.width = size.width;
  page.figure.height = size.height;
  return page;
}

/// The height of the tallest card with one of these texts.
float tallest(const std::vector<Page>& texts) {
  float height = 0.0F;
  for (const Page& text : texts)
    height = std::max(height, 2.0F * padding + above_summary + text.figure.height);
  return height;
}

/// Places cards in columns below everything else.
void add_cards(PageBuilder& page, const std::vector<Page>& cards, std::size_t n_columns) {
  const float top = page.y();
  float bottom = top;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const Figure& card = cards[i].figure;
    const float x = static_cast<float>(i % n_columns) * (card.width + gap);
    const float y = top + static_cast<float>(i / n_columns) * (card.height + gap);
    append(page.page(), cards[i], x, y);
    bottom = y + card.height;
  }
  page.space(bottom - top);
}

}  // namespace

Page lessons_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float min_card_width = 380.0F;
  constexpr float max_card_width = 960.0F;
  constexpr float min_height = 84.0F;
  constexpr float max_height = 136.0F;
  constexpr std::size_t max_columns = 2;
  PageBuilder page(in, tools, size.width);
  page.space(page_size::spacing);
  const auto fitting = static_cast<std::size_t>(std::max(1.0F, (size.width + gap) / (min_card_width + gap)));
  const std::size_t n_columns = std::min(fitting, max_columns);
  const float share = (size.width + gap) / static_cast<float>(n_columns) - gap;
  const float width = std::floor(std::min(share, max_card_width));
  if (!in.user_lessons.empty()) {
    page.line({page.bold("Your lessons")});
    std::vector<Page> own;
    for (const UserLesson& lesson : in.user_lessons) {
      // The beginning of its introduction stands below the title.
      Page& card = own.emplace_back(empty_card(lesson, {width, 2.0F * padding + above_summary + summary_size},
                                               padding, in, tools.measure));
      add_text(card.figure,
               elided_text(lesson.about, width - 2.0F * padding, Font::sans, summary_size, tools.measure),
               {padding, padding + above_summary + 0.5F * summary_size}, in.theme().text, summary_size);
    }
    add_cards(page, own, n_columns);
    page.space(2.0F * gap);
    page.line({page.bold("Headscope's lessons")});
  }
  const auto files = lesson_files();
  std::vector<LessonOutline> outlines;
  for (const EmbeddedFile& file : files)
    outlines.push_back(outline_of_lesson(std::string(file.name), file.text));
  const auto n_rows = static_cast<float>((files.size() + n_columns - 1) / n_columns);
  const float share_of_page = (size.height - page.y() + gap) / n_rows - gap;
  float height = std::clamp(share_of_page, min_height, max_height);
  const float text_width = width - 2.0F * padding - number_width;
  std::vector<Page> texts = texts_of_cards(outlines, true, text_width, in, tools);
  if (tallest(texts) > height) texts = texts_of_cards(outlines, false, text_width, in, tools);
  height = std::max(height, tallest(texts));
  std::vector<Page> numbered;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const UserLesson lesson{
        std::string(files[i].name), outlines[i].title, {}, static_cast<int>(outlines[i].steps.size())};
    // Its number stands on the left, and the title and the text beside it.
    Page& card = numbered.emplace_back(
        empty_card(lesson, {width, std::floor(height)}, padding + number_width, in, tools.measure));
    add_text(card.figure, std::to_string(i), {padding, padding + 0.5F * title_size}, in.theme().accent,
             number_size, Font::sans_bold);
    append(card, texts[i], padding + number_width, padding + above_summary);
  }
  add_cards(page, numbered, n_columns);
  return page.take();
}

}  // namespace headscope
