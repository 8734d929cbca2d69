#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "core/page/figure_file.h"
#include "core/page/film.h"
#include "core/page/page_record.h"
#include "core/page/parts/map_panel.h"
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
constexpr float between = 18.0F;                        ///< The gap between a text and a picture beside it.
constexpr float beside = 280.0F;                        ///< The width of such a picture.
constexpr float beside_text = room - beside - between;  ///< The width of such a text.
constexpr float max_figure_scale = 0.62F;
constexpr float max_figure_height = 290.0F;
/// The height limit for long figures, which would otherwise become too narrow.
constexpr float max_long_height = 640.0F;

/// A column of text of fixed width that is never divided between pages.
Figure empty_column(float width) {
  return {width, 0.0F, {0, 0, 0, 0}, {}};
}

/// Adds text at the bottom of a column.
void add_prose(Figure& column, const Prose& prose, float size, Color color, const MeasureText& measure,
               float inset = 0.0F) {
  for (const ProseBlock& block : prose) {
    const Figure text =
        prose_picture({block}, column.width - inset, size, color, light_theme(), measure).figure;
    append(column, text, inset, column.height);
    column.height += text.height + 0.5F * size;
  }
}

/// Adds the lines to write an answer on.
void add_answer_lines(Figure& column, float inset) {
  constexpr float apart = 22.0F;
  constexpr int n_lines = 2;
  for (int i = 0; i < n_lines; ++i) {
    column.height += apart;
    const float y = column.height - 2.0F;
    add_line(column, {inset, y}, {column.width, y}, light_theme().line, 1.0F);
  }
}

/// Sheets of paper that are filled from top to bottom.
class Sheets {
 public:
  explicit Sheets(const MeasureText& measure) : measure_(measure) { begin_page(); }

  const MeasureText& measure() const { return measure_; }
  void begin_page() {
    pages_.push_back({page_width, page_height, light_theme().panel, {}});
    y_ = above;
  }
  bool is_at_top() const { return y_ <= above; }
  void space(float height) {
    if (!is_at_top()) y_ += height;
  }
  /// Starts a new page if the present one has less space than this.
  void need(float height) {
    if (!is_at_top() && std::min(height, longest()) > room_left()) begin_page();
  }
  float room_left() const { return page_height - below - y_; }
  static constexpr float longest() { return page_height - above - below; }

  /// Adds text, which continues on the following pages if necessary.
  void add(const Prose& prose, float size, Color color) {
    for (const ProseBlock& block : prose) {
      const Figure figure = prose_picture({block}, room, size, color, light_theme(), measure_).figure;
      if (figure.height <= longest()) {
        add(figure, 0.0F);
      } else {
        add_in_parts(figure);
      }
      space(0.5F * size);
    }
  }
  /// Adds a figure without splitting it. It must be at most as high as a page.
  void add(const Figure& figure, float x) {
    need(figure.height);
    append(pages_.back(), figure, side + x, y_);
    y_ += figure.height;
  }

  std::vector<Figure> take(const std::string& title) {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      const float y = page_height - 0.5F * below;
      const auto label = [&](std::string text, float x, HorizontalAnchor anchor) {
        add_text(pages_[i], std::move(text), {x, y}, light_theme().quiet, 8.5F, Font::sans, anchor);
      };
      label(title, side, HorizontalAnchor::left);
      label(std::to_string(i + 1) + " / " + std::to_string(pages_.size()), page_width - side,
            HorizontalAnchor::right);
    }
    return std::move(pages_);
  }

 private:
  /// Splits a text that is longer than a page over as many pages as needed.
  void add_in_parts(const Figure& figure) {
    float top = y_;
    float begin = 0.0F;
    for (const Item& item : figure.items) {
      const auto* label = std::get_if<Label>(&item);
      if (label == nullptr) continue;
      if (top + label->at.y - begin > page_height - below) {
        begin = label->at.y - label->size;
        begin_page();
        top = above;
      }
      Label moved = *label;
      moved.at.x += side;
      moved.at.y += top - begin;
      y_ = moved.at.y + label->size;
      pages_.back().items.emplace_back(std::move(moved));
    }
  }

  const MeasureText& measure_;
  std::vector<Figure> pages_;
  float y_ = 0.0F;
};

/// Whether the text of a step stands beside its picture: its map is about as wide as it is high.
bool has_picture_beside(const LessonStep& step) {
  return step.missing_parts.empty() && step.session.view == PageName::explore;
}

/// The page of a scene, as a presentation shows it in a room of this size. It may be larger.
Result<Figure> page_of_scene(const LessonStep& step, const PageSize& size, const ComputePass& compute,
                             const MeasureText& measure) {
  Session session = step.session;
  session.picture.theme = ThemeName::light;
  std::vector<std::shared_ptr<const Trace>> passes;
  for (const Session& subject : subjects_of(session)) {
    const auto trace = compute(subject);
    if (!trace) return error_at_line(step.scene_line, trace.error().message);
    passes.push_back(*trace);
  }
  constexpr float margin = 6.0F;
  const FigureChoice shown = shown_figure(session);
  const bool shows_stage = session.view == PageName::explore || session.view == PageName::heads;
  if (auto there = check_stage(*passes.front(), shown.main_stage()); shows_stage && !there)
    return error_at_line(step.scene_line, there.error().message);
  PageInputs in = inputs_of(session, passes);
  in.is_slide = true;
  in.is_asked = step.question.has_value();
  in.asks_for_head = step.question && asks_for_head(step.question->expect);
  Page page = printed_page(in, session.view, size, margin, measure);
  if (auto ok = in.check_files(); !ok) return error_at_line(step.scene_line, ok.error().message);
  // Rings around what the step points at, as in the window.
  constexpr float apart = 3.0F;
  for (const LessonFocus& focus : step.focus) {
    for (const Box& box : focused_boxes(page, focus, step.session, *passes.front()))
      add_frame(page.figure, box.grown(apart), light_theme().accent, 2.5F, 4.0F);
  }
  return std::move(page.figure);
}

Result<Figure> picture_of(const LessonStep& step, const ComputePass& compute, const MeasureText& measure) {
  if (!step.missing_parts.empty()) {
    Figure kept = stored_picture(step, room);
    return kept.height <= Sheets::longest() ? kept : scaled(std::move(kept), Sheets::longest() / kept.height);
  }
  constexpr PageSize narrow{545.0F, 490.0F};
  constexpr PageSize wide{860.0F, 560.0F};
  const bool is_beside = has_picture_beside(step);
  auto figure = page_of_scene(step, is_beside ? narrow : wide, compute, measure);
  if (!figure) return figure;
  const bool is_long = figure->height > 1.4F * figure->width;
  const float by = is_beside ? std::min(beside / figure->width, Sheets::longest() / figure->height)
                             : std::min({max_figure_scale, room / figure->width,
                                         (is_long ? max_long_height : max_figure_height) / figure->height});
  return scaled(std::move(*figure), by);
}

Prose sentence(std::string text) {
  return {{ProseBlock::Kind::paragraph, 0, "", {{std::move(text), false, false, false, ""}}}};
}

/// Whether the pictures of two steps would be the same.
bool looks_like(const LessonStep& step, const LessonStep& other) {
  const auto is_asked_for_head = [](const LessonStep& each) {
    return each.question && asks_for_head(each.question->expect);
  };
  const auto points_at = [](const LessonFocus& focus) { return focus.kind != LessonFocus::Kind::control; };
  return step.has_scene && step.missing_parts.empty() && other.missing_parts.empty() &&
         step.session == other.session && std::ranges::none_of(step.focus, points_at) &&
         std::ranges::none_of(other.focus, points_at) && is_asked_for_head(step) == is_asked_for_head(other);
}

std::string numbered(std::size_t index, const std::string& title) {
  return std::to_string(index + 1) + "  " + title;
}

void add_question(Figure& column, const LessonQuestion& question, const MeasureText& measure) {
  constexpr float inset = 14.0F;
  column.height += 6.0F;
  add_prose(column, heading_of("Your turn"), body_size, light_theme().accent, measure, inset);
  add_prose(column, question.prompt, body_size, light_theme().text, measure, inset);
  add_answer_lines(column, inset);
}

constexpr float above_step = 14.0F;
constexpr float step_size = 13.0F;
constexpr float above_picture = 6.0F;

/// Adds a step whose picture stands on the right of its text. Returns false if that is too long for a page.
bool add_beside(Sheets& sheets, const Prose& title, const LessonStep& step, const Figure& picture) {
  const MeasureText& measure = sheets.measure();
  Figure words = empty_column(beside_text);
  add_prose(words, step.body, body_size, light_theme().text, measure);
  if (step.question) add_question(words, *step.question, measure);
  Figure figure = empty_column(room);
  add_prose(figure, title, step_size, light_theme().text, measure);
  const float top = figure.height;
  append(figure, words, 0.0F, top);
  append(figure, picture, room - picture.width, top);
  figure.height = top + std::max(words.height, picture.height);
  if (figure.height > Sheets::longest()) return false;
  sheets.space(above_step);
  sheets.add(figure, 0.0F);
  return true;
}

/// Adds a step on one page, if it fits, with its picture between its text and its question. A picture that
/// nearly fits is reduced. `note` is a remark about the picture and may be empty.
void add_below(Sheets& sheets, const Prose& title, const LessonStep& step, const Prose& note,
               std::optional<Figure> picture) {
  constexpr float min_height_below_heading = 90.0F;
  constexpr float min_share = 0.7F;          // of its size, for a picture to stay on the present page
  constexpr float min_share_of_page = 0.5F;  // and to stay with its text
  Figure question = empty_column(room);
  if (step.question) add_question(question, *step.question, sheets.measure());
  Figure words = empty_column(room);
  add_prose(words, title, step_size, light_theme().text, sheets.measure());
  add_prose(words, step.body, body_size, light_theme().text, sheets.measure());
  add_prose(words, note, body_size, light_theme().quiet, sheets.measure());
  const float text = words.height + above_picture + question.height;
  sheets.space(above_step);
  const float height = picture ? picture->height : 0.0F;
  const bool fits_page = text + min_share_of_page * height <= Sheets::longest();
  if (!fits_page) sheets.need(min_height_below_heading);
  if (fits_page && sheets.room_left() < text + min_share * height) sheets.need(text + height);
  if (picture) {
    const float share = (sheets.room_left() - text) / height;
    if (share >= min_share_of_page && share < 1.0F) picture = scaled(std::move(*picture), share);
  }
  sheets.add(title, step_size, light_theme().text);
  sheets.add(step.body, body_size, light_theme().text);
  sheets.add(note, body_size, light_theme().quiet);
  if (picture) {
    sheets.space(above_picture);
    sheets.add(*picture, 0.5F * (room - picture->width));
  }
  if (!step.question) return;
  if (question.height <= Sheets::longest()) return sheets.add(question, 0.0F);
  sheets.add(heading_of("Your turn"), body_size, light_theme().accent);
  sheets.add(step.question->prompt, body_size, light_theme().text);
  Figure lines = empty_column(room);
  add_answer_lines(lines, 0.0F);
  sheets.add(lines, 0.0F);
}

/// The steps of a lesson, each question followed by a step with its answer.
std::vector<LessonStep> steps_with_answers(const Lesson& lesson) {
  std::vector<LessonStep> steps;
  for (const LessonStep& step : lesson.steps) {
    steps.push_back(step);
    if (!step.question) continue;
    LessonStep answer = step;
    answer.body = step.question->reveal;
    if (step.question->shown) answer.session = *step.question->shown;
    answer.question.reset();
    steps.push_back(std::move(answer));
  }
  return steps;
}

/// The figure, reduced to a room if it is larger.
Figure fitted(Figure figure, float width, float height) {
  const float by = std::min({1.0F, width / figure.width, height / figure.height});
  return by < 1.0F ? scaled(std::move(figure), by) : figure;
}

constexpr PageSize slide_size{960.0F, 540.0F};

/// A slide: the text of a step on the left and its picture on the right.
Result<Figure> slide_of(const LessonStep& step, const ComputePass& compute, const MeasureText& measure) {
  constexpr float edge = 28.0F;
  constexpr float text_width = 300.0F;
  constexpr float title_size = 18.0F;
  constexpr float text_size = 13.0F;
  constexpr float picture_x = 2.0F * edge + text_width;
  constexpr PageSize picture_size{slide_size.width - picture_x - edge, slide_size.height - 2.0F * edge};
  const Theme& theme = light_theme();
  Figure text = empty_column(text_width);
  const auto add = [&](const Prose& prose, float size, Color color) {
    add_prose(text, prose, size, color, measure);
  };
  add(heading_of(step.title), title_size, theme.text);
  add(step.body, text_size, theme.text);
  if (!step.missing_parts.empty()) add(sentence(step.missing_parts + "."), text_size, theme.quiet);
  if (step.question) {
    text.height += text_size;
    add(heading_of("Your turn"), text_size, theme.accent);
    add(step.question->prompt, text_size, theme.text);
  }
  auto picture = step.missing_parts.empty() ? page_of_scene(step, picture_size, compute, measure)
                                            : Result<Figure>(stored_picture(step, picture_size.width));
  if (!picture) return picture;
  Figure slide{slide_size.width, slide_size.height, theme.panel, {}};
  append(slide, fitted(std::move(text), text_width, picture_size.height), edge, edge);
  if (picture->height > 0.0F)
    append(slide, fitted(std::move(*picture), picture_size.width, picture_size.height), picture_x, edge);
  return slide;
}

}  // namespace

Result<std::vector<Figure>> handout_of(const Lesson& lesson, const ComputePass& compute,
                                       const MeasureText& measure) {
  constexpr float title_size = 20.0F;
  const Theme& theme = light_theme();
  Sheets sheets(measure);
  sheets.add(heading_of(lesson.title), title_size, theme.text);
  sheets.add(lesson.summary, body_size, theme.quiet);
  std::optional<std::size_t> pictured;  // The step with the last picture.
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    const Prose title = heading_of(numbered(i, step.title));
    Figure picture;
    Prose note;
    const bool is_first_to_lack = i == 0 || step.missing_parts != lesson.steps[i - 1].missing_parts;
    if (!step.missing_parts.empty() && is_first_to_lack) note = sentence(step.missing_parts + ".");
    const bool is_repeated = pictured && looks_like(step, lesson.steps[*pictured]);
    if (is_repeated) note = sentence("The picture is that of step " + std::to_string(*pictured + 1) + ".");
    if (step.has_scene && !is_repeated) {
      auto drawn = picture_of(step, compute, measure);
      if (!drawn) return tl::unexpected(drawn.error());
      picture = std::move(*drawn);
      pictured = i;
    }
    if (picture.height > 0.0F && has_picture_beside(step) && add_beside(sheets, title, step, picture))
      continue;
    add_below(sheets, title, step, note,
              picture.height > 0.0F ? std::optional(std::move(picture)) : std::nullopt);
  }
  sheets.begin_page();
  sheets.add(heading_of("Answers"), title_size, theme.text);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const auto& question = lesson.steps[i].question;
    if (!question) continue;
    sheets.space(10.0F);
    sheets.need(60.0F);
    sheets.add(heading_of(numbered(i, lesson.steps[i].title)), body_size, theme.text);
    sheets.add(question->reveal, body_size, theme.text);
  }
  return sheets.take(lesson.title);
}

FilmSteps film_of_lesson(const Lesson& lesson, const ComputePass& compute) {
  constexpr double words_of_usual_step = 5.0;  // which stays for two seconds
  FilmSteps film;
  const auto steps = std::make_shared<const std::vector<LessonStep>>(steps_with_answers(lesson));
  film.n = static_cast<int>(steps->size());
  film.size = slide_size;
  film.figure = [steps, compute](int step, float /*share*/, const MeasureText& measure) {
    return slide_of((*steps)[static_cast<std::size_t>(step) - 1], compute, measure);
  };
  film.pace = [steps](int step) {
    const LessonStep& shown = (*steps)[static_cast<std::size_t>(step) - 1];
    std::istringstream text(plain_text(shown.body) + " " +
                            (shown.question ? plain_text(shown.question->prompt) : ""));
    const auto n = std::distance(std::istream_iterator<std::string>(text), {});
    return std::max(static_cast<double>(n) / words_of_usual_step, 1.0);
  };
  return film;
}

}  // namespace headscope
