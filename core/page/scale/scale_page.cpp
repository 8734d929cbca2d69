#include "core/page/scale/scale_page.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/pages.h"
#include "core/figure/text_fit.h"
#include "core/model/pass_edits.h"
#include "core/page/parts/page_text.h"
#include "core/page/scale/scale_gradients.h"
#include "core/page/scale/scale_heads.h"
#include "core/page/scale/scale_row.h"
#include "core/trace/guess.h"
#include "core/trace/number_text.h"
#include "core/trace/patch_stage.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr float chip_height = 24.0F;
constexpr float chip_padding = 7.0F;
constexpr float chip_gap = 4.0F;
constexpr float for_ellipsis = 18.0F;

/// The queries as chips that can be clicked, with the shown one marked. As many as fit on a line around it
/// are drawn.
class QueryChips {
 public:
  QueryChips(const PageInputs& in, const PageTools& tools, PageText& page)
      : page_(page), tools_(tools), tokens_(in.trace->tokens(in.at(StageKind::raw), Axis::query_tokens)) {}

  void add(int shown) {
    const auto n = static_cast<int>(tokens_.size());
    float left = page_.width() - 2.0F * for_ellipsis - width(shown);
    int first = shown;
    int last = shown;
    bool grew = true;
    while (grew) {
      grew = false;
      if (first > 0 && width(first - 1) <= left) {
        left -= width(--first);
        grew = true;
      }
      if (last + 1 < n && width(last + 1) <= left) {
        left -= width(++last);
        grew = true;
      }
    }
    float x = 0.0F;
    if (first > 0) write("…", x, page_.theme().quiet);
    if (first > 0) x += for_ellipsis;
    for (int token = first; token <= last; x += width(token), ++token) draw(token, x, token == shown);
    if (last + 1 < n) write("…", x, page_.theme().quiet);
    page_.space(chip_height + page_size::spacing);
  }

 private:
  std::string text(int token) const {
    constexpr float longest = 120.0F;
    return fitted_text(tokens_[static_cast<std::size_t>(token)].text, longest, Font::sans, page_size::body,
                       tools_.measure);
  }
  float width(int token) const {
    return tools_.measure(text(token), Font::sans, page_size::body).width + 2.0F * chip_padding + chip_gap;
  }
  void write(const std::string& said, float x, Color color) {
    page_.page().figure.items.emplace_back(Label{said,
                                                 {x, page_.y() + 0.5F * chip_height},
                                                 color,
                                                 page_size::body,
                                                 Font::sans,
                                                 HorizontalAnchor::left,
                                                 VerticalAnchor::middle});
  }
  void draw(int token, float x, bool is_shown) {
    const Theme& theme = page_.theme();
    const Box chip{x, page_.y(), width(token) - chip_gap, chip_height};
    constexpr float round = 6.0F;
    auto& items = page_.page().figure.items;
    items.emplace_back(FilledRect{chip, is_shown ? theme.accent_soft : theme.control, round});
    if (is_shown) items.emplace_back(StrokedRect{chip, theme.accent, 1.5F, round});
    write(text(token), x + chip_padding, theme.text);
    page_.page().regions.push_back({chip, LineToken{false, token}});
  }

  PageText& page_;
  const PageTools& tools_;
  const std::vector<Token>& tokens_;
};

/// Names what the pass does to the head after its softmax, which this page does not show. Empty if it does
/// nothing.
std::string not_shown_here(const PageInputs& in) {
  const PassEdits* edits = in.trace->edits();
  const HeadEdits* head = edits == nullptr ? nullptr : edits->of(head_of(in.at(StageKind::weights)));
  if (head == nullptr || !head->changes_weights()) return {};
  return "Interventions replace weights of this head; this page shows what its softmax gives.";
}

/// Explains in words why scores are divided, before any number is shown.
std::string plain_reason(const PageInputs& in) {
  const int width = score_factors(*in.trace, in.at(StageKind::raw)).width;
  return "A score q · k is the sum of d_k products, in this model " + std::to_string(width) +
         ", so the longer the vectors, the larger the scores. Softmax turns large scores into all or nothing: one key takes nearly all the attention, hardly any gradient gets back, and the head stops learning. Divided by √d_k, here " +
         number_text(std::sqrt(static_cast<double>(width)), 3) +
         ", scores keep their size whatever d_k is (Vaswani et al. 2017, section 3.2.1).";
}

/// Says what the division does to the row. The bars below stay in place from row to row.
void add_findings(const PageInputs& in, const ScaledRow& row, PageText& page) {
  constexpr float least_height = 68.0F;  // Three lines.
  const float bottom = page.y() + least_height;
  page.paragraph(sentence_of(row), page.theme().accent, page_size::body);
  if (const std::string other = telling_row(in, row); !other.empty())
    page.paragraph(other, page.theme().text, page_size::body);
  page.space(std::max(bottom - page.y(), 0.0F));
}

}  // namespace

Page scale_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  page.line({{"Why scores are divided by √d_k", Font::sans_bold, page_size::title, page.theme().text},
             {place_text(*in.trace, in.at(StageKind::raw)), Font::sans, page_size::small, page.theme().quiet},
             guess_word(guess_text(*in.trace, in.at(StageKind::raw)), page.theme())},
            12.0F);
  if (const std::string reason = reason_against_scale(in); !reason.empty()) {
    page.paragraph(reason, {}, page_size::body);
    return page.take();
  }
  if (const std::string left_out = not_shown_here(in); !left_out.empty()) page.notice(left_out);
  page.paragraph(plain_reason(in), page.theme().text, page_size::body);
  QueryChips(in, tools, page).add(scaled_query(in));
  const std::optional<ScaledRow> row = scaled_row(in, tools);
  if (!row) {
    page.paragraph("Computing…", {}, page_size::body);
    return page.take();
  }
  add_findings(in, *row, page);
  const bool has_keys = !row->keys.empty();
  if (has_keys) page.add(scaled_bars(in, tools, *row, {size.width, size.height - page.y()}));
  add_random_products(in, tools, page);
  if (has_keys) {
    page.section("What the gradient meets: the softmax’s Jacobian in this row");
    page.add(scaled_jacobians(in, tools, *row, size.width));
  }
  add_scaled_heads(in, tools, page);
  add_score_gradients(in, tools, page);
  return page.take();
}

}  // namespace headscope
