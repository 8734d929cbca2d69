#include "core/figure/split_figure.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/figure/colormap.h"
#include "core/figure/column_groups.h"
#include "core/figure/text_fit.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float heading_size = 13.0F;
constexpr float split_label_size = 12.0F;
constexpr float number_size = 14.0F;
constexpr float cells_left = 44.0F;
constexpr float cell_width = 36.0F, cell_height = 28.0F;
constexpr float cell_gap = 2.0F;       ///< Between cells.
constexpr float gap_of_heads = 10.0F;  ///< Between heads.
constexpr float bracket_height = 8.0F;
constexpr float split_line_height = 22.0F;
constexpr float sums_left = 62.0F;
constexpr float split_column_gap = 16.0F;

/// Draws from top to bottom. `y` is the position of the next item.
struct Sheet {
  const std::vector<HeadSlice>& shares;
  const PictureOptions& picture;
  bool divides;
  const Theme& theme;
  const MeasureText& measure;
  Figure figure;
  float y = 0.0F;

  Color color(std::size_t head) const {
    return head_color(picture, static_cast<int>(head), static_cast<int>(shares.size()));
  }
  /// Returns the right end of the text.
  float write(const std::string& text, float x, float middle, Color ink, Font font, float size) {
    add_text(figure, text, {x, middle}, ink, size, font);
    const float right = x + measure(text, font, size).width;
    figure.width = std::max(figure.width, std::ceil(right));
    return right;
  }
};

std::size_t d_head(const Sheet& sheet) {
  return sheet.shares.front().query.size();
}

float head_left(const Sheet& sheet, std::size_t head) {
  const float width = static_cast<float>(d_head(sheet)) * (cell_width + cell_gap) - cell_gap + gap_of_heads;
  return cells_left + static_cast<float>(head) * width;
}

void draw_title(Sheet& sheet) {
  const std::size_t n_heads = sheet.shares.size();
  const std::string heads = std::to_string(n_heads) + (n_heads == 1 ? " head" : " heads");
  const std::string width = std::to_string(d_head(sheet));
  const float middle = sheet.y + 0.5F * split_line_height;
  const float right = sheet.write(heads, 0.0F, middle, sheet.theme.text, Font::sans_bold, heading_size);
  const double root = std::sqrt(static_cast<double>(d_head(sheet)));
  sheet.write("d_head = " + std::to_string(n_heads * d_head(sheet)) + " / " + std::to_string(n_heads) +
                  " = " + width + (sheet.divides ? ", √" + width + " = " + number_text(root) : ""),
              right + 12.0F, middle, sheet.theme.quiet, Font::mono, split_label_size);
  sheet.y += split_line_height;
}

void draw_brackets(Sheet& sheet) {
  const float middle = sheet.y + 0.5F * split_line_height;
  const float top = sheet.y + split_line_height;
  for (std::size_t head = 0; head < sheet.shares.size(); ++head) {
    const float left = head_left(sheet, head);
    const float right = head_left(sheet, head + 1) - gap_of_heads;
    draw_bracket(left, right, top, sheet.color(head), sheet.figure);
    add_text(sheet.figure, "head " + std::to_string(head), {0.5F * (left + right), middle}, sheet.theme.text,
             split_label_size, Font::sans, HorizontalAnchor::center);
    sheet.figure.width = std::max(sheet.figure.width, right);
  }
  sheet.y = top + bracket_height;
}

void draw_row(Sheet& sheet, const std::string& name, std::vector<float> HeadSlice::*part) {
  const float middle = sheet.y + 0.5F * cell_height;
  sheet.write(name, 0.0F, middle, sheet.theme.quiet, Font::sans, split_label_size);
  for (std::size_t head = 0; head < sheet.shares.size(); ++head) {
    const Color ground = mixed(sheet.theme.panel, sheet.color(head), 0.28F);
    float x = head_left(sheet, head);
    for (const float value : sheet.shares[head].*part) {
      add_box(sheet.figure, {x, sheet.y, cell_width, cell_height}, ground, 3.0F);
      add_text(sheet.figure, rounded_text(static_cast<double>(value)), {x + 0.5F * cell_width, middle},
               sheet.theme.text, number_size, Font::mono, HorizontalAnchor::center);
      x += cell_width + cell_gap;
    }
  }
  sheet.y += cell_height + cell_gap;
}

void draw_sums(Sheet& sheet) {
  sheet.y += 8.0F;
  const float top = sheet.y + 0.5F * split_line_height;
  float right = sums_left;
  for (std::size_t head = 0; head < sheet.shares.size(); ++head) {
    const float middle = top + static_cast<float>(head) * split_line_height;
    add_box(sheet.figure, {0.0F, middle - 4.0F, 8.0F, 8.0F}, sheet.color(head), 2.0F);
    sheet.write("head " + std::to_string(head), 14.0F, middle, sheet.theme.text, Font::sans,
                split_label_size);
    const HeadSlice& share = sheet.shares[head];
    std::string sum;  // For example, "1 + 4 + 9 = 14".
    for (std::size_t i = 0; i < share.query.size(); ++i) {
      const double product = static_cast<double>(share.query[i]) * static_cast<double>(share.key[i]);
      sum += (i > 0 ? " + " : "") + rounded_text(product);
    }
    right = std::max(right, sheet.write(sum + " = " + rounded_text(share.product), sums_left, middle,
                                        sheet.theme.text, Font::mono, split_label_size));
  }
  for (std::size_t head = 0; sheet.divides && head < sheet.shares.size(); ++head) {
    const HeadSlice& share = sheet.shares[head];
    sheet.write(rounded_text(share.product) + " / √" + std::to_string(d_head(sheet)) + " = " +
                    rounded_text(share.scaled),
                right + split_column_gap, top + static_cast<float>(head) * split_line_height,
                sheet.theme.text, Font::mono, split_label_size);
  }
  sheet.y += split_line_height * static_cast<float>(sheet.shares.size());
}

void draw_whole(Sheet& sheet) {
  std::string text;
  double whole = 0.0;
  for (const HeadSlice& share : sheet.shares) {
    text += (text.empty() ? "" : " + ") + rounded_text(share.product);
    whole += share.product;
  }
  sheet.write(text + " = " + rounded_text(whole) + ", the product of the whole rows", 0.0F,
              sheet.y + 0.5F * split_line_height, sheet.theme.quiet, Font::sans, split_label_size);
  sheet.y += split_line_height;
}

}  // namespace

Figure draw_split(const std::vector<HeadSlice>& heads, const PictureOptions& picture, bool divides,
                  const Theme& theme, const MeasureText& measure) {
  Sheet sheet{heads, picture, divides, theme, measure, {}, 0.0F};
  sheet.figure.background = theme.panel;
  draw_title(sheet);
  draw_brackets(sheet);
  draw_row(sheet, "query", &HeadSlice::query);
  draw_row(sheet, "key", &HeadSlice::key);
  draw_sums(sheet);
  if (heads.size() > 1) draw_whole(sheet);
  sheet.figure.height = sheet.y;
  return std::move(sheet.figure);
}

namespace {

constexpr float size = 12.0F;
constexpr float line = 24.0F;
constexpr float name_left = 22.0F;
constexpr float gap = 12.0F;
constexpr float inset = 8.0F;  ///< The margin at both ends of a line.
constexpr float bar_height = 10.0F;
constexpr float min_bar_width = 40.0F;  ///< Narrower bars would not show anything.

/// Draws a score, as a share of the greatest one, as a bar from the middle between `left` and `right`.
void draw_bar(double share, Color color, float left, float right, float middle, const Theme& theme,
              Figure& figure) {
  if (right - left < min_bar_width) return;
  const float zero = std::round(0.5F * (left + right));
  const float length = static_cast<float>(share) * (right - zero);
  const float top = middle - 0.5F * bar_height;
  add_box(figure, {std::min(zero, zero + length), top, std::max(1.0F, std::abs(length)), bar_height}, color);
  add_box(figure, {zero - 0.5F, middle - 0.5F * line, 1.0F, line}, mixed(theme.line, theme.quiet, 0.4F));
}

}  // namespace

float head_scores_height(const HeadScoresSpec& spec) {
  return line * static_cast<float>(spec.raw.size() + 1);
}

Box head_score_box(int head, float width) {
  return {0.0F, line * static_cast<float>(head + 1), width, line};
}

Figure draw_head_scores(const HeadScoresSpec& spec, float width, const Theme& theme,
                        const MeasureText& measure) {
  Figure figure{width, head_scores_height(spec), theme.panel, {}};
  // Most numbers fit into this space, so the columns do not move from pair to pair.
  std::vector<std::string> raws{"−12.34"}, scores{"= −12.34"}, names;
  const bool is_scaled = !spec.scaled.empty();
  const std::vector<double>& bars = is_scaled ? spec.scaled : spec.raw;
  double greatest = 0.0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    raws.push_back(rounded_text(spec.raw[i]));
    scores.push_back("= " + rounded_text(bars[i]));
    names.push_back("head " + std::to_string(i));
    if (std::isfinite(bars[i])) greatest = std::max(greatest, std::abs(bars[i]));
  }
  const float raw_right = std::ceil(name_left + widest_text(names, Font::sans_bold, size, measure) + gap +
                                    widest_text(raws, Font::mono, size, measure));
  const float scaling = measure(spec.scaling, Font::mono, size).width;
  const float of_scores = widest_text(scores, Font::mono, size, measure);
  const float scaled_right = is_scaled ? std::ceil(raw_right + scaling + 0.75F * gap + of_scores) : raw_right;
  float middle = 0.5F * line;
  const auto write = [&](const std::string& text, float x, Color color, Font font,
                         HorizontalAnchor anchor = HorizontalAnchor::right) {
    add_text(figure, text, {x, middle}, color, size, font, anchor);
  };
  write("raw", raw_right, theme.quiet, Font::sans);
  if (!spec.scaling.empty()) write(spec.scaling, raw_right, theme.quiet, Font::mono, HorizontalAnchor::left);
  if (is_scaled) write("scaled", scaled_right, theme.quiet, Font::sans);
  const auto n = static_cast<int>(bars.size());
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Color color = head_color(spec.picture, static_cast<int>(i), n);
    const Box place = head_score_box(static_cast<int>(i), width);
    middle = place.y + 0.5F * line;
    const bool chosen = spec.chosen == static_cast<int>(i);
    if (chosen) add_box(figure, place, theme.accent_soft, 4.0F);
    add_box(figure, {inset, middle - 4.0F, 8.0F, 8.0F}, color, 2.0F);
    write(names[i], name_left, chosen ? theme.accent : theme.text, chosen ? Font::sans_bold : Font::sans,
          HorizontalAnchor::left);
    write(raws[i + 1], raw_right, theme.text, Font::mono);
    write(spec.scaling, raw_right, theme.quiet, Font::mono, HorizontalAnchor::left);
    if (is_scaled) write(scores[i + 1], scaled_right, theme.text, Font::mono);
    const double share = greatest > 0.0 && std::isfinite(bars[i]) ? bars[i] / greatest : 0.0;
    draw_bar(share, color, scaled_right + 2.0F * gap, width - inset, middle, theme, figure);
  }
  return figure;
}

}  // namespace headscope
