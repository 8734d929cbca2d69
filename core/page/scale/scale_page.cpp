#include "core/page/scale/scale_page.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/figure/curves.h"
#include "core/figure/text_fit.h"
#include "core/measures/head_scale.h"
#include "core/measures/measured_heads.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/page/parts/bar_tables.h"
#include "core/tasks/task.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/train/score_gradients.h"

namespace headscope {
namespace {

/// A table of two measures per head, each in two versions, such as with and without the division. Its four
/// columns of bars start from the left; each pair of neighbours shares a scale.
BarTable scale_table(const std::vector<std::pair<std::string, Color>>& columns) {
  constexpr bool from_left = true;
  BarTable table;
  for (const auto& [title, color] : columns) table.columns.push_back({title, {}, from_left, 0.0, color});
  return table;
}

/// Adds a line. A head's line responds to the mouse and is marked if the head is selected. `numbers` has one
/// value per column; `instead` replaces a missing one.
void add_scale_line(BarTable& table, const PageInputs& in, const std::string& label,
                    const std::optional<HeadId>& head, const std::vector<std::optional<double>>& numbers,
                    const std::string& instead = "–") {
  if (head == selected_head(in)) table.marked = table.labels.size();
  table.labels.push_back(label);
  table.instead.push_back(instead);
  table.parts.push_back(head ? std::optional(ModelPart{.place = *head}) : std::nullopt);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    table.columns[c].values.emplace_back(numbers[c]);
    const std::size_t first_of_pair = c / 2 * 2;
    for (const std::size_t each : {first_of_pair, first_of_pair + 1}) {
      std::optional<double>& most = table.columns[each].most;
      most = std::max(most.value_or(0.0), numbers[c].value_or(0.0));
    }
  }
}

/// Draws the table. If it is narrow, two columns stand below the other two.
Page drawn_scale_table(const BarTable& table, const PageInputs& in, const PageTools& tools, float width) {
  const auto drawn = [&](const BarTable& part) {
    return draw_bar_table(part, width, in.theme(), tools.measure);
  };
  if (width >= width_for_titles(table, tools.measure)) return drawn(table);
  BarTable upper = table;
  BarTable lower = table;
  const auto middle = static_cast<std::ptrdiff_t>(table.columns.size() / 2);
  upper.columns.erase(upper.columns.begin() + middle, upper.columns.end());
  lower.columns.erase(lower.columns.begin(), lower.columns.begin() + middle);
  Page page = drawn(upper);
  append_beside(page, drawn(lower), false, 0.0F, page_size::spacing);
  return page;
}

/// The index of the first of `most` lines to list out of `n`, so that the selected one is among them, near
/// the middle if possible.
std::size_t first_visible_line(std::size_t n, std::size_t selected, std::size_t most) {
  if (n <= most) return 0;
  const std::size_t before = most / 2;
  return std::min(selected < before ? 0 : selected - before, n - most);
}

constexpr float between_tables = 32.0F;
constexpr float min_gradient_table_width = 460.0F;  ///< The least width of a table.
constexpr std::size_t max_heads_listed = 16;        ///< The greatest number of heads in a table.

struct GradientsOfModel {
  ModelRef model;
  bool operator==(const GradientsOfModel&) const = default;

  using Answer = ScoreGradientStudy;
  static constexpr Lifetime life = Lifetime::view;
  /// Gradients of older weights may stay for a while. Those of another model may not, because it has other
  /// heads.
  std::pair<std::string, Architecture> stand_in() const { return {model->task, model->model.architecture}; }
  Slices<Result<ScoreGradientStudy>> answer() const { return score_gradient_study(*model); }
};

/// The gradients to show, and whether those of newer weights are being computed. Others are started only
/// after they are done: otherwise, a training run whose weights change constantly would restart the
/// computation forever.
std::pair<const Result<ScoreGradientStudy>*, bool> gradients_to_show(const PageInputs& in, PageTools& tools) {
  const ResultCache& results = tools.memo.results;
  const GradientsOfModel wanted{ModelRef(in.trace_model)};
  const auto* last = results.last<GradientsOfModel>();
  const bool waits = last != nullptr && results.share_of(*last) && last->stand_in() == wanted.stand_in();
  const GradientsOfModel asked = waits ? *last : wanted;
  const auto* found = tools.find(asked);
  return {found, results.share_of(asked).has_value()};
}

HeadGradient together(const GradientNorms& reached) {
  HeadGradient all;
  for (const HeadGradient& head : reached.heads) {
    all.weights = std::hypot(all.weights, head.weights);
    all.scores = std::hypot(all.scores, head.scores);
  }
  return all;
}

Page table_of_gradients(const PageInputs& in, PageTools& tools, const GradientNorms& divided,
                        const GradientNorms& undivided, float width) {
  const Theme& theme = in.theme();
  const ScaleWords words = scale_words(*in.trace);
  BarTable table = scale_table({{words.column_with + ": gradient", theme.data},
                                {words.column_without + ": gradient", theme.text},
                                {words.column_with + ": let through", theme.data},
                                {words.column_without + ": let through", theme.text}});
  const auto add = [&](const std::string& label, const std::optional<HeadId>& head, const HeadGradient& with,
                       const HeadGradient& without) {
    add_scale_line(table, in, label, head,
                   {with.scores, without.scores, with.softmax_ratio(), without.softmax_ratio()});
  };
  const auto selected = static_cast<std::size_t>(
      std::ranges::find(divided.heads, selected_head(in), &HeadGradient::head) - divided.heads.begin());
  const std::size_t n = divided.heads.size();
  const std::size_t first = first_visible_line(n, selected, max_heads_listed);
  for (std::size_t i = first; i < std::min(n, first + max_heads_listed); ++i) {
    const HeadId& head = divided.heads[i].head;
    add(head_label(in.trace->architecture(), head), head, divided.heads[i], undivided.heads[i]);
  }
  add("all heads", std::nullopt, together(divided), together(undivided));
  return drawn_scale_table(table, in, tools, width);
}

Page gradients_of(const PageInputs& in, PageTools& tools, const std::string& title,
                  const GradientNorms& divided, const GradientNorms& undivided, float width) {
  PageBuilder page(in, tools, width);
  const ScaleWords words = scale_words(*in.trace);
  page.line({page.bold(title), page.muted("loss " + rounded_text(divided.loss) + " nats, or " +
                                          rounded_text(undivided.loss) + " " + words.without)},
            8.0F);
  page.add(table_of_gradients(in, tools, divided, undivided, width));
  return page.take();
}

/// For example, "Untrained, softmax lets 0.089 of the gradient through with the division, and 0.067 without
/// the division."
std::string sentence_of(const std::string& when, const ScaleWords& words, const GradientNorms& divided,
                        const GradientNorms& undivided) {
  const auto share = [](const GradientNorms& reached) {
    return rounded_text(together(reached).softmax_ratio());
  };
  return when + ", softmax lets " + share(divided) + " of the gradient through " + words.with + ", and " +
         share(undivided) + " " + words.without + ".";
}

/// Why there are no gradients. Empty if there may be some.
std::string why_no_gradients(const PageInputs& in) {
  if (has_task_of_gradients(in)) return {};
  if (!in.trace_model)
    return "Random weights have no task, so there is no loss to go back from. Trained models show the gradient: choose Pronouns, Copying or Reversing.";
  return "This model was trained for none of the program's tasks, so there is no loss to go back from. Pronouns, Copying and Reversing show the gradient.";
}

/// Adds the share of the loss gradient that reaches each head's scores in training, with and without the
/// division, for the model's weights and untrained ones.
void add_score_gradients(const PageInputs& in, PageTools& tools, PageBuilder& page) {
  page.section("The gradient that reaches the scores in training");
  if (const std::string why = why_no_gradients(in); !why.empty()) return page.explain(why);
  const auto [found, is_computing] = gradients_to_show(in, tools);
  if (found == nullptr || !*found)
    return page.paragraph(is_computing ? "Going back from the loss…"
                                       : "Not computed: " + found->error().message + ".");
  const ScoreGradientStudy& study = **found;
  const std::string now =
      study.steps == 0 ? "Before training" : "After " + count_text(study.steps, "training step");
  const ScaleWords words = scale_words(*in.trace);
  page.say(sentence_of("Untrained", words, study.untrained_divided, study.untrained_undivided) + " " +
           sentence_of(now, words, study.divided, study.undivided));
  const bool beside = page.width() >= 2.0F * min_gradient_table_width + between_tables;
  const float each = beside ? std::floor((page.width() - between_tables) / 2.0F) : page.width();
  Page both = gradients_of(in, tools, "Untrained", study.untrained_divided, study.untrained_undivided, each);
  append_beside(both, gradients_of(in, tools, now, study.divided, study.undivided, each), beside,
                each + between_tables, 2.0F * page_size::spacing);
  page.add(both);
  page.space(page_size::spacing);
  page.paragraph(
      "Gradient: the norm of ∂ loss / ∂ scaled scores over all visible cells of the head in " +
      std::to_string(n_gradient_sentences) +
      " held-out sentences of the task; with respect to the products q · k, it is this times the factor. Let through: that norm divided by the norm of ∂ loss / ∂ weights, which reaches softmax. Without the factor, the same weights are used with 1 instead, for which they were not trained, so the loss differs. The loss is that of the task's words, without masks, interventions or numbers given by hand.");
  if (is_computing) page.paragraph("The gradients of newer weights are being computed…");
}

/// In a longer text, only this many queries are measured, and only for the heads of one layer.
constexpr int sampled_queries = 64;

bool is_long(const PageInputs& in) {
  return is_too_long_to_measure(*in.trace, in.at(StageKind::raw));
}

/// The heads of all layers of an attention or, in a long text, of one layer.
Slices<std::vector<HeadScale>> scaled_heads(const Trace& trace, Stack stack, AttentionKind attention,
                                            std::optional<int> layer) {
  const Architecture& a = trace.architecture();
  std::vector<HeadScale> heads;
  const int first = layer.value_or(0);
  const int last = layer.value_or(a.layers_of(stack) - 1);
  for (StageId place{StageKind::raw, stack, first, attention}; place.layer <= last; ++place.layer) {
    for (place.head = 0; place.head < a.n_heads; ++place.head) {
      const StageId own = canonical(a, place);
      if (!trace.has(own)) continue;
      heads.push_back(head_scale(trace, own, layer ? sampled_queries : max_measured_tokens));
      co_yield static_cast<double>(place.layer - first) / (last - first + 1);
    }
  }
  co_return heads;
}

const Result<std::vector<HeadScale>>* heads_of_attention(const PageInputs& in, PageTools& tools) {
  const StageId place = in.at(StageKind::raw);
  return tools.find(
      Asked<scaled_heads, Lifetime::view>{
          {in.trace, place.stack, place.attention, is_long(in) ? std::optional(place.layer) : std::nullopt}},
      are_cheap_to_read(*in.trace, all_heads(in.trace->architecture(), place)));
}

bool has_rows(const HeadScale& head) {
  return head.n_rows > 0;
}

/// The mean over the heads that have a row with at least two visible keys. There must be such a head.
double mean_norm(const std::vector<HeadScale>& heads, SoftmaxMeans HeadScale::*means) {
  double sum = 0.0;
  for (const HeadScale& head : heads) sum += has_rows(head) ? (head.*means).norm : 0.0;
  return sum / static_cast<double>(std::ranges::count_if(heads, has_rows));
}

Page table_of_heads(const PageInputs& in, PageTools& tools, const std::vector<HeadScale>& heads, int width,
                    float room) {
  const Theme& theme = in.theme();
  const ScaleWords words = scale_words(*in.trace);
  BarTable table = scale_table({{"norm, " + words.column_with, theme.data},
                                {"norm, " + words.column_without, theme.text},
                                {"variance of q · k", theme.quiet},
                                {std::to_string(width) + " · var q · var k", theme.quiet}});
  const auto selected = static_cast<std::size_t>(
      std::ranges::find(heads, in.at(StageKind::raw), &HeadScale::head) - heads.begin());
  const std::size_t first = first_visible_line(heads.size(), selected, max_heads_listed);
  for (std::size_t i = first; i < std::min(heads.size(), first + max_heads_listed); ++i) {
    const HeadScale& scale = heads[i];
    const bool is_measured = has_rows(scale);
    add_scale_line(
        table, in, head_label(scale.head.layer, scale.head.head), head_of(scale.head),
        is_measured ? std::vector<std::optional<double>>{scale.divided.norm, scale.undivided.norm,
                                                         scale.raw_variance, scale.expected_variance(width)}
                    : std::vector<std::optional<double>>(4),
        is_measured ? "–" : "no row");
  }
  return drawn_scale_table(table, in, tools, room);
}

CurvesSpec curves_of(const std::vector<RandomProducts>& widths, bool is_norm, int marked,
                     const Theme& theme) {
  CurvesSpec spec;
  spec.title = is_norm ? "Gradient let through by d_head" : "Largest weight by d_head";
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

/// The mean norm of the Jacobian and the variance of the raw scores for each head of the attention.
void add_scaled_heads(const PageInputs& in, PageTools& tools, PageBuilder& page) {
  page.section("All queries of each head");
  const auto* found = heads_of_attention(in, tools);
  if (found == nullptr || !*found)
    return page.paragraph(found == nullptr ? "Measuring…" : "Not measured: " + found->error().message + ".");
  const std::vector<HeadScale>& all = **found;
  const auto n_with_rows = std::ranges::count_if(all, has_rows);
  if (n_with_rows == 0)
    return page.paragraph("No query sees two or more keys here, so there is nothing to compare.");
  const int width = score_factors(*in.trace, in.at(StageKind::raw)).width;
  const double with = mean_norm(all, &HeadScale::divided);
  const double without = mean_norm(all, &HeadScale::undivided);
  const ScaleWords words = scale_words(*in.trace);
  const bool is_all = std::cmp_equal(n_with_rows, all.size());
  page.say("The mean norm of the Jacobian is " + rounded_text(with) + " " + words.with + " and " +
           rounded_text(without) + " " + words.without + ", over " + (is_all ? "all " : "the ") +
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

/// As many random keys as the head has, within limits.
int n_random_keys(const PageInputs& in) {
  constexpr int fewest = 2;
  constexpr int most = 64;
  return std::clamp(in.trace->extent(in.at(StageKind::raw)).cols, fewest, most);
}

/// Products of random keys and queries that are as wide as those of the head.
const Result<std::vector<RandomProducts>>* random_rows_beside(const PageInputs& in, PageTools& tools) {
  const int width = score_factors(*in.trace, in.at(StageKind::raw)).width;
  return tools.find(Asked<random_products, Lifetime::view>{{n_random_keys(in), width}});
}

/// The same measures for random queries and keys, as curves over their width.
void add_random_products(const PageInputs& in, PageTools& tools, PageBuilder& page) {
  page.section("Why √d_head: queries and keys of random numbers");
  const ScoreFactors factors = score_factors(*in.trace, in.at(StageKind::raw));
  const auto* found = random_rows_beside(in, tools);
  if (found == nullptr || !*found)
    return page.paragraph(found == nullptr ? "Computing…" : found->error().message);
  const std::vector<RandomProducts>& widths = **found;
  constexpr float gap = 32.0F;
  constexpr float height = 170.0F;
  const bool beside = page.width() >= 480.0F;
  const float each = beside ? (page.width() - gap) / 2.0F : page.width();
  const auto chart = [&](bool is_norm) -> Page {
    const CurvesSpec spec = curves_of(widths, is_norm, factors.width, page.theme());
    return {draw_curves(spec, {0.0F, 0.0F, each, height}, page.theme(), tools.measure), {}};
  };
  Page both = chart(false);
  append_beside(both, chart(true), beside, each + gap, page_size::spacing);
  page.add(both);
  std::string said =
      "If the numbers of q and k are independent, with mean 0 and variance 1, the variance of q · k is d_head, and after division by √d_head it is 1 again. The curves are means over " +
      grouped(random_rows) + " rows of such random numbers, with " + std::to_string(n_random_keys(in)) +
      " keys each. The upright line marks this head's d_head = " + std::to_string(factors.width) +
      "; the numbers above the curves belong to " +
      (factors.width <= max_product_width ? "it." : "d_head = " + std::to_string(max_product_width) + ".");
  if (in.session.picture.details)
    said +=
        " The variance of q · k was measured as " + rounded_text(widths.front().variance) +
        " at d_head = 1 and " + rounded_text(widths.back().variance) +
        " at d_head = " + std::to_string(max_product_width) +
        ". The gradient let through is the norm of the softmax's Jacobian. With many keys, nearly equal weights also let little through: there, it grows before it falls.";
  page.paragraph(said);
}

/// What the pass does to the head after its softmax, which this page does not show. May be empty.
std::string not_shown_here(const PageInputs& in) {
  const PassEdits* edits = in.trace->edits();
  const HeadEdits* head = edits == nullptr ? nullptr : edits->of(head_of(in.at(StageKind::weights)));
  if (head == nullptr || !head->changes_weights()) return {};
  return "Interventions replace weights of this head; this page shows what its softmax gives.";
}

/// Explains in words why scores are divided, before any number is shown.
std::string plain_reason(const PageInputs& in) {
  const int width = score_factors(*in.trace, in.at(StageKind::raw)).width;
  return "A score q · k is the sum of d_head products, in this model " + std::to_string(width) +
         ", and because positive and negative ones partly cancel, the spread of their sum grows with √d_head, not with d_head. Softmax turns large scores into all or nothing: one key takes nearly all the attention, hardly any gradient gets back, and the head stops learning. Divided by √d_head, here " +
         number_text(std::sqrt(static_cast<double>(width)), 3) +
         ", scores keep their size whatever d_head is (Vaswani et al. 2017, section 3.2.1, where it is called d_k).";
}

}  // namespace

bool has_task_of_gradients(const PageInputs& in) {
  return in.trace_model && parse_task_name(in.trace_model->task).has_value();
}

Headline scale_headline(const PageInputs& in, PageTools& tools) {
  Headline headline;
  if (!why_no_scaled_row(in).empty()) return headline;
  if (const std::optional<ScaledRow> row = scaled_row(in, tools))
    headline.answer = {sentences_of(*row).front()};
  return headline;
}

Page scale_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  page.line({page.muted(place_text(*in.trace, in.at(StageKind::raw))),
             guess_word(*in.trace, in.at(StageKind::raw), page.theme())},
            12.0F);
  if (const std::string reason = why_no_scaled_row(in); !reason.empty()) return page.instead(reason);
  page.notice(not_shown_here(in));
  page.say(plain_reason(in));
  add_token_chips(page, in.trace->tokens(in.at(StageKind::raw), Axis::query_tokens), scaled_query(in), false);
  const std::optional<ScaledRow> row = scaled_row(in, tools);
  if (!row) return page.instead(unreadable_text(tools));
  // The bars stay in place from row to row unless more than two lines are said of one.
  const float bars = page.y() + 40.0F;
  const std::vector<std::string> said = sentences_of(*row);
  page.say((said.size() > 1 ? said.back() + " " : "") + notable_row(in, *row));
  page.space(std::max(bars - page.y(), 0.0F));
  const bool has_keys = !row->keys.empty();
  if (has_keys) add_scaled_bars(in, tools, *row, size.height - page.y(), page);
  add_random_products(in, tools, page);
  if (!in.session.picture.details) return page.take();
  if (has_keys) {
    page.section("What the gradient meets: the softmax's Jacobian in this row");
    add_scaled_jacobians(in, tools, *row, page);
  }
  add_scaled_heads(in, tools, page);
  add_score_gradients(in, tools, page);
  return page.take();
}

PageNumbers scale_numbers(const PageInputs& in, PageTools& tools) {
  if (std::string reason = why_no_scaled_row(in); !reason.empty()) return failure(std::move(reason));
  const std::optional<ScaledRow> row = scaled_row(in, tools);
  const auto* heads = heads_of_attention(in, tools);
  const auto* random = random_rows_beside(in, tools);
  if (!row) return failure(unreadable_text(tools));
  if (!*heads) return tl::unexpected(heads->error());
  if (!*random) return tl::unexpected(random->error());
  const auto key_name = [&](int key) { return in.trace->full_label(row->raw, Axis::key_tokens, key); };
  DataTable of_row{"row",
                   {"query", "query_token", "key", "key_token", "score_divided", "score_undivided",
                    "weight_divided", "weight_undivided"}};
  DataTable jacobian{"jacobian", {"weight_of", "score_of", "divided", "undivided"}};
  for (const int key : row->keys) {
    const auto k = static_cast<std::size_t>(key);
    of_row.rows.push_back({row->query, row->token, key, key_name(key), row->divided.scores[k],
                           row->undivided.scores[k], row->divided.weights[k], row->undivided.weights[k]});
    for (const int other : row->keys)
      jacobian.rows.push_back(
          {key, other, jacobian_cell(row->divided, key, other), jacobian_cell(row->undivided, key, other)});
  }
  const auto add_means = [](std::vector<TableCell>& cells, const SoftmaxMeans& means) {
    for (const double value : {means.norm, means.greatest, means.entropy}) cells.emplace_back(value);
  };
  const std::vector<std::string> means{"norm_divided",   "greatest_divided",   "entropy_divided",
                                       "norm_undivided", "greatest_undivided", "entropy_undivided"};
  DataTable of_heads{"heads", {"head", "layer", "index", "queries", "raw_variance", "expected_variance"}};
  of_heads.columns.insert(of_heads.columns.end(), means.begin(), means.end());
  for (const HeadScale& scale : **heads) {
    const StageId& head = scale.head;
    std::vector<TableCell> cells{head_label(head.layer, head.head), head.layer, head.head, scale.n_rows};
    // Nothing was measured in a head in which no query sees two keys.
    if (has_rows(scale)) {
      cells.emplace_back(scale.raw_variance);
      cells.emplace_back(scale.expected_variance(row->factors.width));
      add_means(cells, scale.divided);
      add_means(cells, scale.undivided);
    }
    cells.resize(of_heads.columns.size());
    of_heads.rows.push_back(std::move(cells));
  }
  DataTable of_random{"random", {"d_k", "variance"}};
  of_random.columns.insert(of_random.columns.end(), means.begin(), means.end());
  for (const RandomProducts& each : **random) {
    std::vector<TableCell> cells{each.width, each.variance};
    add_means(cells, each.divided);
    add_means(cells, each.undivided);
    of_random.rows.push_back(std::move(cells));
  }
  return std::vector<DataTable>{std::move(of_row), std::move(jacobian), std::move(of_heads),
                                std::move(of_random)};
}

}  // namespace headscope
