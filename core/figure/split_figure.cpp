#include "core/figure/split_figure.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/figure/column_groups.h"
#include "core/model/attention.h"
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
  const SplitSpec& spec;
  const Theme& theme;
  const MeasureText& measure;
  std::vector<HeadSlice> shares;
  Figure figure;
  float y = 0.0F;

  Color color(std::size_t head) const {
    return head_color(spec.picture, static_cast<int>(head), spec.n_heads);
  }
  /// Returns the right end of the text.
  float write(const std::string& text, float x, float middle, Color ink, Font font, float size) {
    figure.items.emplace_back(
        Label{text, {x, middle}, ink, size, font, HorizontalAnchor::left, VerticalAnchor::middle});
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
  const std::size_t n = sheet.spec.query.size();
  const std::string heads =
      std::to_string(sheet.spec.n_heads) + (sheet.spec.n_heads == 1 ? " head" : " heads");
  const std::string width = std::to_string(d_head(sheet));
  const float middle = sheet.y + 0.5F * split_line_height;
  const float right = sheet.write(heads, 0.0F, middle, sheet.theme.text, Font::sans_bold, heading_size);
  const double root = std::sqrt(static_cast<double>(n) / sheet.spec.n_heads);
  sheet.write("d_head = " + std::to_string(n) + " / " + std::to_string(sheet.spec.n_heads) + " = " + width +
                  (sheet.spec.divides ? ", √" + width + " = " + number_text(root) : ""),
              right + 12.0F, middle, sheet.theme.quiet, Font::mono, split_label_size);
  sheet.y += split_line_height;
}

void draw_brackets(Sheet& sheet) {
  const float middle = sheet.y + 0.5F * split_line_height;
  const float top = sheet.y + split_line_height;
  for (std::size_t head = 0; head < sheet.shares.size(); ++head) {
    const float left = head_left(sheet, head);
    const float right = head_left(sheet, head + 1) - gap_of_heads;
    const Color ink = sheet.color(head);
    for (const Box& part : {Box{left, top, right - left, 2.0F}, Box{left, top, 2.0F, 5.0F},
                            Box{right - 2.0F, top, 2.0F, 5.0F}}) {
      sheet.figure.items.emplace_back(FilledRect{part, ink});
    }
    sheet.figure.items.emplace_back(Label{"head " + std::to_string(head),
                                          {0.5F * (left + right), middle},
                                          sheet.theme.text,
                                          split_label_size,
                                          Font::sans,
                                          HorizontalAnchor::center,
                                          VerticalAnchor::middle});
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
      sheet.figure.items.emplace_back(FilledRect{{x, sheet.y, cell_width, cell_height}, ground, 3.0F});
      sheet.figure.items.emplace_back(Label{number_text(static_cast<double>(value)),
                                            {x + 0.5F * cell_width, middle},
                                            sheet.theme.text,
                                            number_size,
                                            Font::mono,
                                            HorizontalAnchor::center,
                                            VerticalAnchor::middle});
      x += cell_width + cell_gap;
    }
  }
  sheet.y += cell_height + cell_gap;
}

/// For example, "1 + 4 + 9 = 14".
std::string sum_text(const HeadSlice& share) {
  std::string text;
  for (std::size_t i = 0; i < share.query.size(); ++i) {
    const double product = static_cast<double>(share.query[i]) * static_cast<double>(share.key[i]);
    text += (i > 0 ? " + " : "") + number_text(product);
  }
  return text + " = " + number_text(share.product);
}

void draw_sums(Sheet& sheet) {
  sheet.y += 8.0F;
  const float top = sheet.y + 0.5F * split_line_height;
  float right = sums_left;
  for (std::size_t head = 0; head < sheet.shares.size(); ++head) {
    const float middle = top + static_cast<float>(head) * split_line_height;
    sheet.figure.items.emplace_back(FilledRect{{0.0F, middle - 4.0F, 8.0F, 8.0F}, sheet.color(head), 2.0F});
    sheet.write("head " + std::to_string(head), 14.0F, middle, sheet.theme.text, Font::sans,
                split_label_size);
    right = std::max(right, sheet.write(sum_text(sheet.shares[head]), sums_left, middle, sheet.theme.text,
                                        Font::mono, split_label_size));
  }
  for (std::size_t head = 0; sheet.spec.divides && head < sheet.shares.size(); ++head) {
    const HeadSlice& share = sheet.shares[head];
    sheet.write(number_text(share.product) + " / √" + std::to_string(d_head(sheet)) + " = " +
                    number_text(share.scaled),
                right + split_column_gap, top + static_cast<float>(head) * split_line_height,
                sheet.theme.text, Font::mono, split_label_size);
  }
  sheet.y += split_line_height * static_cast<float>(sheet.shares.size());
}

void draw_whole(Sheet& sheet) {
  std::string text;
  double whole = 0.0;
  for (const HeadSlice& share : sheet.shares) {
    text += (text.empty() ? "" : " + ") + number_text(share.product);
    whole += share.product;
  }
  sheet.write(text + " = " + number_text(whole) + ", the product of the whole rows", 0.0F,
              sheet.y + 0.5F * split_line_height, sheet.theme.quiet, Font::sans, split_label_size);
  sheet.y += split_line_height;
}

}  // namespace

Figure draw_split(const SplitSpec& spec, const Theme& theme, const MeasureText& measure) {
  Sheet sheet{spec, theme, measure, split_into_heads(spec.query, spec.key, spec.n_heads), {}, 0.0F};
  sheet.figure.background = theme.panel;
  draw_title(sheet);
  draw_brackets(sheet);
  draw_row(sheet, "query", &HeadSlice::query);
  draw_row(sheet, "key", &HeadSlice::key);
  draw_sums(sheet);
  if (spec.n_heads > 1) draw_whole(sheet);
  sheet.figure.height = sheet.y;
  return std::move(sheet.figure);
}

}  // namespace headscope
