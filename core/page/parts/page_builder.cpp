#include "core/page/parts/page_builder.h"

#include <algorithm>
#include <cmath>

#include "core/figure/pages.h"
#include "core/figure/text_fit.h"
#include "core/lesson/prose.h"
#include "core/page/parts/prose_picture.h"
#include "core/trace/guess.h"

namespace headscope {
namespace {

/// The sum in letters is left out if it does not fit: a truncated sum would be meaningless.
void write_formula(PageBuilder& page, const PageInputs& in, const StageId& stage, const std::string& shape) {
  constexpr float apart = 16.0F;
  const std::string how = in.against() ? difference_formula : formula(*in.trace, stage);
  const bool has_letters = in.session.picture.details && !in.against();
  std::string letters = has_letters ? einsum_text(*in.trace, stage) : "";
  const auto width = [&](const std::string& text) {
    return page.measure()(text, Font::mono, page_size::control).width;
  };
  const float before = shape.empty() ? 0.0F : width(shape) + apart;
  if (before + width(how) + apart + width(letters) > page.width()) letters.clear();
  page.line({{shape, Font::mono, page_size::control, page.theme().quiet},
             {how, Font::mono, page_size::control, page.theme().text},
             {letters, Font::mono, page_size::control, page.theme().quiet}},
            apart);
}

}  // namespace

void PageBuilder::label(std::string_view text, float x, float y, Font font, float size, Color color) {
  if (!text.empty()) page_.figure.write(std::string(text), {x, y}, color, size, font);
}

PageWord guess_word(const Trace& trace, const Theme& theme) {
  return {guess_text(trace), Font::sans_bold, page_size::small, theme.accent, guess_notice(trace)};
}

PageWord guess_word(const Trace& trace, const StageId& shown, const Theme& theme) {
  PageWord word = guess_word(trace, theme);
  word.text = guess_text(trace, shown);
  return word;
}

float PageBuilder::line(std::initializer_list<PageWord> words, float gap, float room) {
  float height = 0.0F;
  for (const PageWord& word : words) height = std::max(height, measure_("X", word.font, word.size).height);
  const float most = room > 0.0F ? room : width_;
  float x = 0.0F;
  for (const PageWord& word : words) {
    if (word.text.empty()) continue;
    // The ascent of every font is about four fifths of its line height, so this puts the texts on one
    // baseline.
    const float lower = 0.8F * (height - measure_("X", word.font, word.size).height);
    if (in_file_ && measure_(word.text, word.font, word.size).width > most - x) {
      if (x > 0.0F) y_ += std::ceil(height);
      const std::vector<std::string> lines = wrapped_lines(word.text, width_, word.font, word.size, measure_);
      for (const std::string& each : lines) {
        label(each, 0.0F, y_ + lower, word.font, word.size, word.color);
        x = measure_(each, word.font, word.size).width + gap;
        if (&each != &lines.back()) y_ += std::ceil(height);
      }
      continue;
    }
    if (measure_("…", word.font, word.size).width > most - x) break;
    const std::string fitting = elided_text(word.text, most - x, word.font, word.size, measure_);
    label(fitting, x, y_ + lower, word.font, word.size, word.color);
    const float drawn = measure_(fitting, word.font, word.size).width;
    if (!word.why.empty()) page_.regions.push_back({{x, y_, drawn, height}, ExplainedWord{word.why}});
    x += std::max(drawn, word.least_width) + gap;
  }
  y_ += std::ceil(height) + page_size::spacing;
  return std::max(0.0F, x - gap);
}

void PageBuilder::paragraph(std::string_view text, std::optional<Color> color, float size) {
  if (text.empty()) return;
  const float height = measure_("X", Font::sans, size).height;
  for (const std::string& line : wrapped_lines(text, width_, Font::sans, size, measure_)) {
    label(line, 0.0F, y_, Font::sans, size, color.value_or(theme_.quiet));
    y_ += height;
  }
  y_ = std::ceil(y_) + page_size::spacing;
}

void PageBuilder::prose(const std::string& markdown, Color color) {
  // Text that cannot be parsed is shown unchanged.
  const auto read = read_prose(markdown, 1);
  if (!read) return paragraph(markdown, color, page_size::body);
  add(prose_picture(*read, width_, page_size::body, color, theme_, measure_).figure);
  space(page_size::spacing);
}

void PageBuilder::section(std::string_view title) {
  if (y_ > 0.0F) y_ += 8.0F;
  line({{title, Font::sans_bold, page_size::control, theme_.quiet}});
}

void PageBuilder::row(std::string_view label_text, std::string_view value, bool strong) {
  constexpr float height = 16.0F;
  const float value_width = measure_(value, Font::mono, page_size::control).width;
  const auto middle = [&](Font font) {
    return y_ + 0.5F * (height - measure_("X", font, page_size::control).height);
  };
  label(value, width_ - value_width, middle(Font::mono), Font::mono, page_size::control, theme_.text);
  const Font font = strong ? Font::sans_bold : Font::sans;
  label(elided_text(label_text, width_ - value_width - 8.0F, font, page_size::control, measure_), 0.0F,
        middle(font), font, page_size::control, strong ? theme_.text : theme_.quiet);
  y_ += height + page_size::spacing;
}

void PageBuilder::divider() {
  add_box(page_.figure, {0.0F, y_ + 4.0F, width_, 1.0F}, theme_.line);
  y_ += 9.0F + page_size::spacing;
}

void PageBuilder::notice(std::string_view text) {
  if (text.empty()) return;
  constexpr float padding = 10.0F;
  constexpr float above = 7.0F;
  const auto lines = wrapped_lines(text, width_ - 2.0F * padding, Font::sans, page_size::control, measure_);
  const float line_height = measure_("X", Font::sans, page_size::control).height;
  const float height = std::ceil(static_cast<float>(lines.size()) * line_height + 2.0F * above);
  add_box(page_.figure, {0.0F, y_, width_, height}, mixed(theme_.panel, theme_.accent, 0.08F), 6.0F);
  add_box(page_.figure, {0.0F, y_, 3.0F, height}, theme_.accent, 1.5F);
  float y = y_ + above;
  for (const std::string& line : lines) {
    label(line, padding, y, Font::sans, page_size::control, theme_.text);
    y += line_height;
  }
  y_ += height + page_size::spacing;
}

void PageBuilder::add(const Page& part, float x) {
  append(page_, part, x, y_);
  y_ = std::ceil(y_ + part.figure.height) + page_size::spacing;
}

void PageBuilder::add_rows(std::span<const Page> parts, std::size_t in_row, float step) {
  for (; !parts.empty(); parts = parts.subspan(std::min(in_row, parts.size()))) {
    Page row;
    for (std::size_t i = 0; i < std::min(in_row, parts.size()); ++i)
      append(row, parts[i], static_cast<float>(i) * step, 0.0F);
    add(row);
  }
}

Page PageBuilder::take() {
  page_.figure.width = width_;
  page_.figure.height = std::max(std::ceil(y_ - page_size::spacing), 1.0F);
  return std::move(page_);
}

void add_token_chips(PageBuilder& page, std::span<const Token> tokens, int chosen, bool are_decoded) {
  constexpr float height = 24.0F;
  constexpr float padding = 7.0F;
  constexpr float apart = 4.0F;
  constexpr float for_ellipsis = 18.0F;
  constexpr float rounding = 6.0F;
  const auto text = [&](int token) {
    constexpr float longest = 120.0F;
    return elided_text(tokens[static_cast<std::size_t>(token)].text, longest, Font::sans, page_size::body,
                       page.measure());
  };
  const auto width = [&](int token) {
    return page.measure()(text(token), Font::sans, page_size::body).width + 2.0F * padding + apart;
  };
  const auto n = static_cast<int>(tokens.size());
  int first = chosen;
  int last = chosen;
  float left = page.width() - 2.0F * for_ellipsis - width(chosen);
  const auto take = [&](int& end, int token) {
    if (token < 0 || token >= n || width(token) > left) return false;
    left -= width(token);
    end = token;
    return true;
  };
  bool grows = true;
  // While decoding, the next token comes first, then the decoded ones, then the rest.
  if (are_decoded) {
    take(last, last + 1);
    while (grows) grows = take(first, first - 1);
    grows = true;
    while (grows) grows = take(last, last + 1);
  }
  while (grows) {
    grows = take(first, first - 1);
    grows = take(last, last + 1) || grows;
  }
  const Theme& theme = page.theme();
  Figure& figure = page.figure();
  float x = 0.0F;
  const auto write = [&](const std::string& said, float at, Color color) {
    add_text(figure, said, {at, page.y() + 0.5F * height}, color, page_size::body);
  };
  if (first > 0) write("…", x, theme.quiet);
  if (first > 0) x += for_ellipsis;
  for (int token = first; token <= last; x += width(token), ++token) {
    const Box chip{x, page.y(), width(token) - apart, height};
    const bool is_to_come = are_decoded && token > chosen;
    if (!is_to_come) add_box(figure, chip, token == chosen ? theme.accent_soft : theme.control, rounding);
    if (token == chosen) add_frame(figure, chip, theme.accent, 1.5F, rounding);
    write(text(token), x + padding, is_to_come ? mixed(theme.panel, theme.quiet, 0.5F) : theme.text);
    if (!are_decoded) page.page().regions.push_back({chip, LineToken{false, token}});
  }
  if (last + 1 < n) write("…", x, theme.quiet);
  page.space(height + page_size::spacing);
}

std::string heading_title(const PageInputs& in, StageKind kind) {
  return std::string(info(kind).title) + (in.against() ? ": difference" : "");
}

void formula_line(PageBuilder& page, const PageInputs& in, const StageId& stage) {
  write_formula(page, in, stage, "");
}

void shape_line(PageBuilder& page, const PageInputs& in, const StageId& stage) {
  if (in.trace->has(stage)) write_formula(page, in, stage, full_shape_text(*in.trace, stage));
}

}  // namespace headscope
