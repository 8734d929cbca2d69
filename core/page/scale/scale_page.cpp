#include "core/page/scale/scale_page.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/curves.h"
#include "core/figure/pages.h"
#include "core/figure/text_fit.h"
#include "core/measures/measured_heads.h"
#include "core/measures/random_products.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/readable.h"
#include "core/page/scale/scale_gradients.h"
#include "core/page/scale/scale_row.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr std::size_t max_heads_listed = 16;
/// In a longer text, only this many queries are measured, and only for the heads of one layer.
constexpr int sampled_queries = 64;

bool is_long(const PageInputs& in) {
  const Extent map = size_of_maps(*in.trace, in.at(StageKind::raw));
  return std::max(map.rows, map.cols) > max_measured_tokens;
}

/// A head, and its measures with and without the division.
struct ScaledHead {
  StageId place;  ///< The stage of its raw scores.
  HeadScale scale;
};

/// The heads of an attention of a pass. In a long text, only those of one layer.
struct ScaledHeads {
  AttentionOfPass at;
  std::optional<int> layer;  ///< Empty for all layers.
  bool operator==(const ScaledHeads&) const = default;

  using Answer = std::vector<ScaledHead>;
  static constexpr Lifetime life = Lifetime::view;
  Slices<std::vector<ScaledHead>> answer() const {
    const Architecture& a = at.trace->architecture();
    std::vector<ScaledHead> heads;
    const int first = layer.value_or(0);
    const int last = layer.value_or(a.layers_of(at.stack) - 1);
    for (StageId place{StageKind::raw, at.stack, first, at.kind}; place.layer <= last; ++place.layer) {
      for (place.head = 0; place.head < a.n_heads; ++place.head) {
        const StageId own = canonical(a, place);
        if (!at.trace->has(own)) continue;
        heads.push_back({own, head_scale(*at.trace, own, layer ? sampled_queries : max_measured_tokens)});
        co_yield static_cast<double>(place.layer - first) / (last - first + 1);
      }
    }
    co_return heads;
  }
};

/// Null while the heads are being measured.
const Result<std::vector<ScaledHead>>* heads_of_attention(const PageInputs& in, PageTools& tools) {
  const StageId place = in.at(StageKind::raw);
  ScaledHeads question{{in.trace, place.stack, place.attention}, {}};
  if (is_long(in)) question.layer = place.layer;
  return tools.find(question, are_cheap_to_read(*in.trace, all_heads(in.trace->architecture(), place)));
}

bool has_rows(const ScaledHead& head) {
  return head.scale.n_rows > 0;
}

/// The mean over the heads that have a row with at least two visible keys. There must be such a head.
double mean_norm(const std::vector<ScaledHead>& heads, SoftmaxMeans HeadScale::*means) {
  double sum = 0.0;
  for (const ScaledHead& head : heads) sum += has_rows(head) ? (head.scale.*means).norm : 0.0;
  return sum / static_cast<double>(std::ranges::count_if(heads, has_rows));
}

Page table_of_heads(const PageInputs& in, PageTools& tools, const std::vector<ScaledHead>& heads, int width,
                    float room) {
  const Theme& theme = theme_of(in.session.picture.theme);
  const ScaleWords words = scale_words(*in.trace);
  ScaleTable table(in, {{"norm, " + words.column_with, theme.data},
                        {"norm, " + words.column_without, theme.text},
                        {"variance of q · k", theme.quiet},
                        {std::to_string(width) + " · var q · var k", theme.quiet}});
  const auto selected = static_cast<std::size_t>(
      std::ranges::find(heads, in.at(StageKind::raw), &ScaledHead::place) - heads.begin());
  const std::size_t first = first_visible_line(heads.size(), selected, max_heads_listed);
  for (std::size_t i = first; i < std::min(heads.size(), first + max_heads_listed); ++i) {
    const StageId& id = heads[i].place;
    const HeadScale& scale = heads[i].scale;
    const std::string name = std::to_string(id.layer) + "." + std::to_string(id.head);
    if (has_rows(heads[i])) {
      table.add(
          name, head_of(id),
          {scale.divided.norm, scale.undivided.norm, scale.raw_variance, scale.expected_variance(width)});
    } else {
      table.add(name, head_of(id), std::vector<std::optional<double>>(4), "no row");
    }
  }
  return table.drawn(tools, room);
}

CurvesSpec curves_of(const std::vector<RandomProducts>& widths, bool is_norm, int marked,
                     const Theme& theme) {
  CurvesSpec spec;
  spec.title = is_norm ? "Gradient let through by d_k" : "Largest weight by d_k";
  spec.in_percent = !is_norm;
  spec.y_high = is_norm ? 0.5 : 1.0;
  CurveSeries divided{"divided", theme.data, {}, 2.0F};
  CurveSeries undivided{"not divided", theme.text, {}, 2.0F};
  for (const RandomProducts& each : widths) {
    const double x = std::log2(static_cast<double>(each.width));
    divided.points.push_back({x, is_norm ? each.divided.norm : each.divided.greatest});
    undivided.points.push_back({x, is_norm ? each.undivided.norm : each.undivided.greatest});
    if (std::has_single_bit(static_cast<unsigned>(each.width)))
      spec.x_labels.push_back(std::to_string(each.width));
  }
  spec.x_high = std::log2(static_cast<double>(widths.back().width));
  spec.series = {std::move(divided), std::move(undivided)};
  if (marked <= max_product_width) spec.marker = std::log2(static_cast<double>(marked));
  return spec;
}

/// Adds a table of the selected attention's heads, measured over all their queries: the mean norm of the
/// Jacobian with and without the division, and the variance of the raw scores in comparison with that of
/// independent numbers.
void add_scaled_heads(const PageInputs& in, PageTools& tools, PageBuilder& page) {
  page.section("All queries of each head");
  const auto* found = heads_of_attention(in, tools);
  if (found == nullptr || !*found) {
    page.paragraph(found == nullptr ? "Measuring…" : "Not measured: " + found->error().message + ".");
    return;
  }
  const std::vector<ScaledHead>& all = **found;
  const auto n_with_rows = std::ranges::count_if(all, has_rows);
  if (n_with_rows == 0) {
    page.paragraph("No query sees two or more keys here, so there is nothing to compare.");
    return;
  }
  const int width = score_factors(*in.trace, in.at(StageKind::raw)).width;
  const double with = mean_norm(all, &HeadScale::divided);
  const double without = mean_norm(all, &HeadScale::undivided);
  const ScaleWords words = scale_words(*in.trace);
  const bool is_all = std::cmp_equal(n_with_rows, all.size());
  page.say("The mean norm of the Jacobian is " + number_text(with, 2) + " " + words.with + " and " +
           number_text(without, 2) + " " + words.without + ", over " + (is_all ? "all " : "the ") +
           count_text(static_cast<long long>(n_with_rows), "head") +
           (is_all ? "." : " with a query that sees two or more keys."));
  page.add(table_of_heads(in, tools, all, width, page.width()));
  std::string said =
      "Left: means over the queries that see two or more keys. Right: the measured variance of the products that the mask leaves visible, and what it would be if the numbers of q and k were independent with mean 0, as in the paper's footnote 4. In a trained head, they seldom are.";
  if (all.size() > max_heads_listed)
    said +=
        " The list has " + std::to_string(max_heads_listed) + " of " + std::to_string(all.size()) + " heads.";
  if (is_long(in))
    said += " Measured on this long text: " + std::to_string(sampled_queries) +
            " evenly spaced queries, and the heads of the selected layer.";
  page.space(page_size::spacing);
  page.paragraph(said);
}

/// Random queries and keys of several widths.
struct RandomRows {
  int n_keys = 0;
  int width = 0;
  bool operator==(const RandomRows&) const = default;

  using Answer = std::vector<RandomProducts>;
  static constexpr Lifetime life = Lifetime::view;
  Slices<std::vector<RandomProducts>> answer() const { return random_products(n_keys, width); }
};

/// As many random keys as the head has, within limits, and queries as wide.
RandomRows random_rows_beside(const PageInputs& in) {
  constexpr int fewest = 2;
  constexpr int most = 64;
  return {std::clamp(in.trace->extent(in.at(StageKind::raw)).cols, fewest, most),
          score_factors(*in.trace, in.at(StageKind::raw)).width};
}

/// Adds the same measures for random queries and keys as curves over their width, with this head's width
/// marked.
void add_random_products(const PageInputs& in, PageTools& tools, PageBuilder& page) {
  page.section("Why √d_k: queries and keys of random numbers");
  const ScoreFactors factors = score_factors(*in.trace, in.at(StageKind::raw));
  const RandomRows question = random_rows_beside(in);
  const auto* found = tools.find(question);
  if (found == nullptr || !*found) {
    page.paragraph(found == nullptr ? "Computing…" : found->error().message);
    return;
  }
  const std::vector<RandomProducts>& widths = **found;
  constexpr float gap = 32.0F;
  constexpr float height = 170.0F;
  const bool beside = page.width() >= 480.0F;
  const float each = beside ? (page.width() - gap) / 2.0F : page.width();
  Page both;
  for (const bool is_norm : {false, true}) {
    const CurvesSpec spec = curves_of(widths, is_norm, factors.width, page.theme());
    Figure chart = draw_curves(spec, {0.0F, 0.0F, each, height}, page.theme(), tools.measure);
    append(both, Page{std::move(chart), {}}, !is_norm || !beside ? 0.0F : each + gap,
           !is_norm || beside ? 0.0F : height + page_size::spacing);
  }
  page.add(both);
  std::string said =
      "If the numbers of q and k are independent, with mean 0 and variance 1, the variance of q · k is d_k, and after division by √d_k it is 1 again. The curves are means over " +
      grouped(random_rows) + " rows of such random numbers, with " + std::to_string(question.n_keys) +
      " keys each. The upright line marks this head's d_k = " + std::to_string(factors.width) +
      "; the numbers above the curves belong to " +
      (factors.width <= max_product_width ? "it." : "d_k = " + std::to_string(max_product_width) + ".");
  if (in.session.picture.details)
    said +=
        " The variance of q · k was measured as " + number_text(widths.front().variance, 3) +
        " at d_k = 1 and " + number_text(widths.back().variance, 3) +
        " at d_k = " + std::to_string(max_product_width) +
        ". The gradient let through is the norm of the softmax's Jacobian. With many keys, nearly equal weights also let little through: there, it grows before it falls.";
  page.paragraph(said);
}

constexpr float chip_height = 24.0F;
constexpr float chip_padding = 7.0F;
constexpr float chip_gap = 4.0F;
constexpr float for_ellipsis = 18.0F;

/// The queries as chips that can be clicked, with the shown one marked. As many as fit on a line around it
/// are drawn.
class QueryChips {
 public:
  QueryChips(const PageInputs& in, const PageTools& tools, PageBuilder& page)
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
    return elided_text(tokens_[static_cast<std::size_t>(token)].text, longest, Font::sans, page_size::body,
                       tools_.measure);
  }
  float width(int token) const {
    return tools_.measure(text(token), Font::sans, page_size::body).width + 2.0F * chip_padding + chip_gap;
  }
  void write(const std::string& said, float x, Color color) {
    add_text(page_.page().figure, said, {x, page_.y() + 0.5F * chip_height}, color, page_size::body);
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

  PageBuilder& page_;
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
         ", and because positive and negative ones partly cancel, the spread of their sum grows with √d_k, not with d_k. Softmax turns large scores into all or nothing: one key takes nearly all the attention, hardly any gradient gets back, and the head stops learning. Divided by √d_k, here " +
         number_text(std::sqrt(static_cast<double>(width)), 3) +
         ", scores keep their size whatever d_k is (Vaswani et al. 2017, section 3.2.1).";
}

/// Points out a row that shows more. The bars below stay in place from row to row.
void add_findings(const PageInputs& in, const ScaledRow& row, PageBuilder& page) {
  constexpr float min_height = 34.0F;
  const float bottom = page.y() + min_height;
  if (const std::string other = notable_row(in, row); !other.empty()) page.say(other);
  page.space(std::max(bottom - page.y(), 0.0F));
}

}  // namespace

Headline scale_headline(const PageInputs& in, PageTools& tools) {
  Headline headline;
  if (!why_no_scaled_row(in).empty()) return headline;
  if (const std::optional<ScaledRow> row = scaled_row(in, tools)) headline.answer = sentences_of(*row);
  return headline;
}

Page scale_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  page.line({page.muted(place_text(*in.trace, in.at(StageKind::raw))),
             guess_word(*in.trace, in.at(StageKind::raw), page.theme())},
            12.0F);
  if (const std::string reason = why_no_scaled_row(in); !reason.empty()) return page.instead(reason);
  if (const std::string left_out = not_shown_here(in); !left_out.empty()) page.notice(left_out);
  page.say(plain_reason(in));
  QueryChips(in, tools, page).add(scaled_query(in));
  const std::optional<ScaledRow> row = scaled_row(in, tools);
  if (!row) return page.instead(unreadable_text(tools));
  add_findings(in, *row, page);
  const bool has_keys = !row->keys.empty();
  if (has_keys) page.add(scaled_bars(in, tools, *row, {size.width, size.height - page.y()}));
  add_random_products(in, tools, page);
  if (!in.session.picture.details) return page.take();
  if (has_keys) {
    page.section("What the gradient meets: the softmax's Jacobian in this row");
    page.add(scaled_jacobians(in, tools, *row, size.width));
  }
  add_scaled_heads(in, tools, page);
  add_score_gradients(in, tools, page);
  return page.take();
}

PageNumbers scale_numbers(const PageInputs& in, PageTools& tools) {
  if (std::string reason = why_no_scaled_row(in); !reason.empty()) return failure(std::move(reason));
  const std::optional<ScaledRow> row = scaled_row(in, tools);
  const auto* heads = heads_of_attention(in, tools);
  const auto* random = tools.find(random_rows_beside(in));
  if (!row || heads == nullptr || random == nullptr) return failure("the numbers are still being computed");
  if (!*heads) return tl::unexpected(heads->error());
  if (!*random) return tl::unexpected(random->error());
  const auto key_name = [&](int key) { return in.trace->full_label(row->raw, Axis::key_tokens, key); };
  DataTable of_row{"row",
                   {"query", "query_token", "key", "key_token", "score_divided", "score_undivided",
                    "weight_divided", "weight_undivided"},
                   {}};
  DataTable jacobian{"jacobian", {"weight_of", "score_of", "divided", "undivided"}, {}};
  for (const int key : row->keys) {
    const auto k = static_cast<std::size_t>(key);
    of_row.rows.push_back({std::int64_t{row->query}, row->token, std::int64_t{key}, key_name(key),
                           row->divided.scores[k], row->undivided.scores[k], row->divided.weights[k],
                           row->undivided.weights[k]});
    for (const int other : row->keys)
      jacobian.rows.push_back({std::int64_t{key}, std::int64_t{other},
                               jacobian_cell(row->divided, key, other),
                               jacobian_cell(row->undivided, key, other)});
  }
  const auto add_means = [](std::vector<TableCell>& cells, const SoftmaxMeans& means) {
    for (const double value : {means.norm, means.greatest, means.entropy}) cells.emplace_back(value);
  };
  const std::vector<std::string> means{"norm_divided",   "greatest_divided",   "entropy_divided",
                                       "norm_undivided", "greatest_undivided", "entropy_undivided"};
  DataTable of_heads{"heads", {"head", "layer", "index", "queries", "raw_variance", "expected_variance"}, {}};
  of_heads.columns.insert(of_heads.columns.end(), means.begin(), means.end());
  for (const ScaledHead& head : **heads) {
    std::vector<TableCell> cells{head_label(head.place.layer, head.place.head),
                                 std::int64_t{head.place.layer}, std::int64_t{head.place.head},
                                 std::int64_t{head.scale.n_rows}};
    // Nothing was measured in a head in which no query sees two keys.
    if (has_rows(head)) {
      cells.emplace_back(head.scale.raw_variance);
      cells.emplace_back(head.scale.expected_variance(row->factors.width));
      add_means(cells, head.scale.divided);
      add_means(cells, head.scale.undivided);
    }
    cells.resize(of_heads.columns.size());
    of_heads.rows.push_back(std::move(cells));
  }
  DataTable of_random{"random", {"d_k", "variance"}, {}};
  of_random.columns.insert(of_random.columns.end(), means.begin(), means.end());
  for (const RandomProducts& each : **random) {
    std::vector<TableCell> cells{std::int64_t{each.width}, each.variance};
    add_means(cells, each.divided);
    add_means(cells, each.undivided);
    of_random.rows.push_back(std::move(cells));
  }
  return std::vector<DataTable>{std::move(of_row), std::move(jacobian), std::move(of_heads),
                                std::move(of_random)};
}

}  // namespace headscope
