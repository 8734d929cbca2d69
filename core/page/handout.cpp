#include "core/page/handout.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/page/figure_file.h"
#include "core/page/parts/prose_picture.h"

namespace headscope {
namespace {

constexpr float page_width = 595.0F;
constexpr float page_height = 842.0F;
constexpr float side = 56.0F;   ///< The margin on the left and right.
constexpr float above = 52.0F;  ///< The margin at the top.
constexpr float below = 60.0F;  ///< The margin at the bottom, which holds the number of the page.
constexpr float room = page_width - 2.0F * side;
constexpr float body_size = 10.5F;
constexpr float greatest_figure_scale = 0.62F;
constexpr float most_figure_height = 290.0F;
/// Of long figures, which would become too narrow otherwise.
constexpr float most_long_height = 640.0F;

Prose heading(std::string text) {
  return {{ProseBlock::Kind::heading, 0, "", {{std::move(text), false, false, false, ""}}}};
}

/// Sheets of paper that are filled from top to bottom.
class Sheets {
 public:
  explicit Sheets(const MeasureText& measure) : measure_(measure) { begin_page(); }

  void begin_page() {
    pages_.push_back({page_width, page_height, light_theme().panel, {}});
    y_ = above;
  }
  bool is_at_top() const { return y_ <= above; }
  void space(float height) {
    if (!is_at_top()) y_ += height;
  }
  /// Begins another page if there is less room than this on the present one.
  void need(float height) {
    if (!is_at_top() && y_ + std::min(height, longest()) > page_height - below) begin_page();
  }

  float room_left() const { return page_height - below - y_; }
  /// The height of text that is added.
  float height_of(const Prose& prose, float size, float inset = 0.0F) const {
    float height = 0.0F;
    for (const ProseBlock& block : prose)
      height += prose_picture({block}, room - inset, size, light_theme().text, light_theme(), measure_)
                    .figure.height +
                0.5F * size;
    return height;
  }

  /// Adds text, which goes on over the next pages if it has to. `inset` is the room on its left.
  void add(const Prose& prose, float size, Color color, float inset = 0.0F) {
    for (const ProseBlock& block : prose) {
      const Figure figure = prose_picture({block}, room - inset, size, color, light_theme(), measure_).figure;
      if (figure.height <= longest()) {
        add(figure, inset);
      } else {
        add_in_parts(figure, inset);
      }
      space(0.5F * size);
    }
  }
  /// Adds a figure that stays whole. It must be at most as high as a page.
  void add(const Figure& figure, float x) {
    need(figure.height);
    append(pages_.back(), figure, side + x, y_);
    y_ += figure.height;
  }

  std::vector<Figure> take(const std::string& title) {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      const float y = page_height - 0.5F * below;
      const auto label = [&](std::string text, float x, HorizontalAnchor anchor) {
        pages_[i].items.emplace_back(Label{.text = std::move(text),
                                           .at = {x, y},
                                           .color = light_theme().quiet,
                                           .size = 8.5F,
                                           .horizontal = anchor,
                                           .vertical = VerticalAnchor::middle});
      };
      label(title, side, HorizontalAnchor::left);
      label(std::to_string(i + 1) + " / " + std::to_string(pages_.size()), page_width - side,
            HorizontalAnchor::right);
    }
    return std::move(pages_);
  }

 private:
  static float longest() { return page_height - above - below; }

  /// Adds the lines of a text that is longer than a page to as many pages as they take.
  void add_in_parts(const Figure& figure, float inset) {
    begin_page();
    float begin = 0.0F;
    for (const Item& item : figure.items) {
      const auto* label = std::get_if<Label>(&item);
      if (label == nullptr) continue;
      if (label->at.y - begin > longest()) {
        begin = label->at.y - label->size;
        begin_page();
      }
      Label moved = *label;
      moved.at.x += side + inset;
      moved.at.y += above - begin;
      y_ = moved.at.y + label->size;
      pages_.back().items.emplace_back(std::move(moved));
    }
  }

  const MeasureText& measure_;
  std::vector<Figure> pages_;
  float y_ = 0.0F;
};

/// The picture of a scene, as wide as the text and not too high.
Result<Figure> picture_of(const LessonStep& step, const ComputePass& compute, const MeasureText& measure) {
  if (!step.lacks.empty()) return kept_picture(step, room);
  Session session = step.session;
  session.picture.theme = ThemeName::light;
  std::vector<std::shared_ptr<const Trace>> passes;
  for (const Session& subject : subjects_of(session)) {
    const auto trace = compute(subject);
    if (!trace) return error_at_line(step.line, trace.error().message);
    passes.push_back(*trace);
  }
  constexpr FigureSize size{860, 560, 2, std::nullopt};
  auto figure = figure_of(inputs_of(session, passes), size, measure);
  if (!figure) return error_at_line(step.line, figure.error().message);
  const bool is_long = figure->height > 1.4F * figure->width;
  const float by = std::min({greatest_figure_scale, room / figure->width,
                             (is_long ? most_long_height : most_figure_height) / figure->height});
  return scaled(std::move(*figure), by);
}

std::string numbered(std::size_t index, const std::string& title) {
  return std::to_string(index + 1) + "  " + title;
}

/// Adds the text of a step with its picture on one page. A picture that nearly fits becomes smaller.
void add_words(Sheets& sheets, const Prose& title, const Prose& says, std::optional<Figure> picture) {
  constexpr float step_size = 13.0F;
  constexpr float least_below_heading = 90.0F;
  constexpr float above_picture = 6.0F;
  constexpr float least_share = 0.7F;
  const float words = sheets.height_of(title, step_size) + sheets.height_of(says, body_size) + above_picture;
  sheets.space(14.0F);
  sheets.need(least_below_heading);
  if (picture && sheets.room_left() < words + least_share * picture->height)
    sheets.need(words + picture->height);
  if (picture) {
    const float share = (sheets.room_left() - words) / picture->height;
    if (share >= least_share && share < 1.0F) picture = scaled(std::move(*picture), share);
  }
  sheets.add(title, step_size, light_theme().text);
  sheets.add(says, body_size, light_theme().text);
  if (!picture) return;
  sheets.space(above_picture);
  sheets.add(*picture, 0.5F * (room - picture->width));
}

void add_question(Sheets& sheets, const LessonQuestion& question) {
  constexpr float inset = 14.0F;
  // Room to write the answer down.
  constexpr float lines_apart = 22.0F;
  constexpr int n_lines = 2;
  constexpr float above_question = 6.0F;
  const Prose title = heading("Your turn");
  sheets.need(above_question + sheets.height_of(title, body_size, inset) +
              sheets.height_of(question.asks, body_size, inset) + lines_apart * n_lines);
  sheets.space(above_question);
  sheets.add(title, body_size, light_theme().accent, inset);
  sheets.add(question.asks, body_size, light_theme().text, inset);
  Figure lines{room - inset, lines_apart * n_lines, {0, 0, 0, 0}, {}};
  for (int i = 1; i <= n_lines; ++i) {
    const float y = lines_apart * static_cast<float>(i) - 2.0F;
    lines.items.emplace_back(Line{{0.0F, y}, {lines.width, y}, light_theme().line, 1.0F});
  }
  sheets.add(lines, inset);
}

}  // namespace

Result<std::vector<Figure>> handout_of(const Lesson& lesson, const ComputePass& compute,
                                       const MeasureText& measure) {
  constexpr float title_size = 20.0F;
  const Theme& theme = light_theme();
  Sheets sheets(measure);
  sheets.add(heading(lesson.title), title_size, theme.text);
  sheets.add(lesson.summary, body_size, theme.quiet);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    std::optional<Figure> picture;
    if (step.has_scene) {
      auto drawn = picture_of(step, compute, measure);
      if (!drawn) return tl::unexpected(drawn.error());
      picture = std::move(*drawn);
    }
    add_words(sheets, heading(numbered(i, step.title)), step.says, std::move(picture));
    if (step.question) add_question(sheets, *step.question);
  }
  sheets.begin_page();
  sheets.add(heading("Answers"), title_size, theme.text);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const auto& question = lesson.steps[i].question;
    if (!question) continue;
    sheets.space(10.0F);
    sheets.need(60.0F);
    sheets.add(heading(numbered(i, lesson.steps[i].title)), body_size, theme.text);
    sheets.add(question->reveal, body_size, theme.text);
  }
  return sheets.take(lesson.title);
}

}  // namespace headscope
