#include "core/page/lines/line_drawing.h"

#include <algorithm>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float least_share = 0.005F;  ///< Smaller shares are not written, as in maps.

}  // namespace

bool LineDrawing::is_picked(bool is_key, int token) const {
  return shown.from.are_keys == is_key && std::ranges::binary_search(shown.from.tokens, token);
}

std::optional<float> LineDrawing::share(bool is_key, int token) const {
  const std::vector<std::vector<float>>& shares = shown.found->shares;
  if (shares.empty() || shown.from.are_keys == is_key) return std::nullopt;
  float sum = 0.0F;
  for (const std::vector<float>& head : shares) sum += head[static_cast<std::size_t>(token)];
  return sum / static_cast<float>(shares.size());
}

float LineDrawing::offset(int head) const {
  const auto n = static_cast<float>(colors.size());
  return n < 2.0F ? 0.0F : static_cast<float>(head) / (n - 1.0F) - 0.5F;
}

Color line_color(const LineDrawing& drawing, const AttentionLine& line) {
  const float weight = std::clamp(line.weight, 0.0F, 1.0F);
  return with_opacity(drawing.colors[static_cast<std::size_t>(line.head)], 0.15F + 0.85F * std::sqrt(weight));
}

float line_thickness(const AttentionLine& line) {
  return 1.0F + 4.0F * std::clamp(line.weight, 0.0F, 1.0F);
}

std::string share_text(const LineDrawing& drawing, bool is_key, int token) {
  const auto share = drawing.share(is_key, token);
  if (!share || *share < least_share) return {};
  return share_text(static_cast<double>(*share));
}

void draw_token_box(const LineDrawing& drawing, const TokenBox& token, Page& page) {
  const Theme& theme = drawing.theme();
  std::vector<Item>& items = page.figure.items;
  const bool is_picked = drawing.is_picked(token.is_key, token.token);
  const bool is_hidden = token.is_key && drawing.is_hidden(token.token);
  float share = std::clamp(drawing.share(token.is_key, token.token).value_or(0.0F), 0.0F, 1.0F);
  if (share < least_share) share = 0.0F;
  constexpr float rounding = 4.0F;
  Color ground = theme.panel;
  if (share > 0.0F) ground = mixed(theme.panel, theme.accent, 0.05F + 0.45F * share);
  if (is_picked) ground = theme.accent;
  Color text = is_hidden ? theme.quiet : theme.text;
  if (is_picked) text = theme.panel;
  if (is_picked || share > 0.0F) items.emplace_back(FilledRect{token.box, ground, rounding});
  constexpr float padding = 5.0F;
  const std::string fitting = fitted_text(token.text, token.room.w - 2.0F * padding, Font::sans,
                                          token.font_size, drawing.tools.measure);
  const float middle = token.room.y + 0.5F * token.room.h;
  const float width = drawing.tools.measure(fitting, Font::sans, token.font_size).width;
  float left = token.room.x + padding;
  if (token.align == HorizontalAnchor::center) left = token.room.x + 0.5F * (token.room.w - width);
  if (token.align == HorizontalAnchor::right) left = token.room.right() - padding - width;
  items.emplace_back(Label{fitting,
                           {left, middle},
                           text,
                           token.font_size,
                           Font::sans,
                           HorizontalAnchor::left,
                           VerticalAnchor::middle});
  if (is_hidden) items.emplace_back(Line{{left - 2.0F, middle}, {left + width + 2.0F, middle}, text, 1.0F});
  page.regions.push_back({token.box, drawing.line_token(token.is_key, token.token)});
}

}  // namespace headscope
