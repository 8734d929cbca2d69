#include "core/page/scale_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/colormap.h"
#include "core/page/page_text.h"
#include "core/page/readable.h"
#include "core/page/signed_bars.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float between_rows = 32.0F;
constexpr float least_column = 280.0F;
/// Of longer rows only the keys with the greatest weights are drawn.
constexpr std::size_t most_listed = 12;
constexpr std::size_t most_jacobian = 96;
constexpr std::array<const char*, 2> jacobian_slots{"jacobian divided", "jacobian undivided"};

/// Those of the row's keys with the greatest weights, in the order of the text.
std::vector<int> strongest_keys(const ScaledRow& row, std::size_t most) {
  std::vector<int> keys = row.keys;
  if (keys.size() <= most) return keys;
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::stable_sort(keys, std::greater{},
                           [&](int key) { return row.divided.weights[static_cast<std::size_t>(key)]; });
  keys.erase(end, keys.end());
  std::ranges::sort(keys);
  return keys;
}

std::string key_label(const PageInputs& in, const ScaledRow& row, int key) {
  return in.trace->label(row.raw, Axis::key_tokens, key);
}

/// "Divided by √16 = 4", "Not divided", "Divided by √16 · 0.5 = 2", "Divided by the temperature 0.5 alone".
std::string title_of_factor(const ScoreFactors& factors, double temperature, bool is_divided) {
  const bool has_temperature = temperature != 1.0;
  const std::string by = number_text(temperature, 3);
  if (!is_divided) return has_temperature ? "Divided by the temperature " + by + " alone" : "Not divided";
  if (factors.has_own_scale)
    return "Times the model’s scale " + number_text(factors.divided * temperature, 3) +
           (has_temperature ? " / " + by + " = " + number_text(factors.divided, 3) : "");
  const double root = std::sqrt(static_cast<double>(factors.width));
  return "Divided by √" + std::to_string(factors.width) + (has_temperature ? " · " + by : "") + " = " +
         number_text(root * temperature, 3);
}

/// "0.9 instead of 0.6"; "0.9, too" where both read alike.
std::string instead_of(const std::string& now, const std::string& before) {
  return now == before ? now + ", too" : now + " instead of " + before;
}

Page row_bars(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided, float width) {
  const SoftmaxRow& shown = is_divided ? row.divided : row.undivided;
  const PictureOptions& picture = in.session.picture;
  const Theme& theme = theme_of(picture.theme);
  BarTable table;
  SignedBars scores{"score", {}};
  SignedBars weights{"weight", {}, true, 1.0};
  double most = 0.0;
  for (const int key : strongest_keys(row, most_listed)) {
    const auto at = static_cast<std::size_t>(key);
    table.labels.push_back(key_label(in, row, key));
    table.instead.emplace_back("–");
    scores.values.emplace_back(shown.scores[at]);
    weights.values.emplace_back(shown.weights[at]);
    most = std::max({most, std::fabs(row.divided.scores[at]), std::fabs(row.undivided.scores[at])});
  }
  scores.most = most;
  table.columns = {std::move(scores), std::move(weights)};
  table.line = 18.0F;
  const ColorMap& colors = color_map(picture.diverging, picture.theme);
  constexpr float strong = 0.15F;
  table.negative = sample(colors, strong);
  table.positive = sample(colors, 1.0F - strong);
  return {draw_bar_table(table, width, theme, tools.measure), {}};
}

OwnedMatrix jacobian_of(const SoftmaxRow& row, const std::vector<int>& keys) {
  const auto n = static_cast<int>(keys.size());
  OwnedMatrix cells(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      cells.at(i, j) = static_cast<float>(
          jacobian_cell(row, keys[static_cast<std::size_t>(i)], keys[static_cast<std::size_t>(j)]));
    }
  }
  return cells;
}

double greatest_cell(const OwnedMatrix& cells) {
  double most = 0.0;
  for (const float cell : cells.values) most = std::max(most, std::fabs(static_cast<double>(cell)));
  return most;
}

HeatmapSpec jacobian_spec(const PageInputs& in, const ScaledRow& row, bool is_divided, OwnedMatrix& numbers) {
  const std::vector<int> keys = strongest_keys(row, most_jacobian);
  numbers = jacobian_of(is_divided ? row.divided : row.undivided, keys);
  const double both = std::max(greatest_cell(numbers),
                               greatest_cell(jacobian_of(is_divided ? row.undivided : row.divided, keys)));
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  std::vector<std::string> labels;
  labels.reserve(keys.size());
  for (const int key : keys) labels.push_back(key_label(in, row, key));
  spec.row_labels = labels;
  spec.col_labels = std::move(labels);
  spec.row_axis = "weights of";
  spec.col_axis = "scores of";
  spec.title = "∂ weight / ∂ score";
  PictureOptions options = in.session.picture;
  options.range = RangeMode::map;
  constexpr bool is_signed = true;
  spec.scale = ColorScale(options, is_signed, both);
  spec.color_bar_label = false;
  spec.font_size = 11.0F;
  spec.numbers = in.session.picture.numbers;
  return spec;
}

Page jacobian_map(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided,
                  float width) {
  TableSpec table;
  table.name = path(row.raw) + " " + std::to_string(row.query);
  table.trace = in.trace;
  table.picture = in.session.picture;
  constexpr float most_height = 400.0F;
  return table_page(
      tools, jacobian_slots[is_divided ? 0 : 1], table,
      [&](OwnedMatrix& numbers) { return jacobian_spec(in, row, is_divided, numbers); }, width,
      std::min(width, most_height));
}

Page column_of(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided, float width) {
  PageText page(in, tools, width);
  const SoftmaxRow& shown = is_divided ? row.divided : row.undivided;
  const auto temperature = static_cast<double>(in.trace->options().temperature);
  page.line({{title_of_factor(row.factors, temperature, is_divided), Font::sans_bold, page_size::body,
              page.theme().text},
             {is_divided == row.factors.is_divided ? "as in this pass" : "", Font::sans, page_size::small,
              page.theme().quiet}},
            8.0F);
  page.add(row_bars(in, tools, row, is_divided, width));
  page.space(page_size::spacing);
  const bool has_sink = in.trace->has(in.at(StageKind::sink));
  const std::string sink = has_sink ? " · taken by the sink " + number_text(shown.sink, 3) : "";
  page.line({{"Norm of the Jacobian " + number_text(jacobian_norm(shown), 3), Font::sans_bold,
              page_size::control, page.theme().text},
             {"entropy " + number_text(entropy_of(shown), 3) + " nats" + sink, Font::sans, page_size::small,
              page.theme().quiet}},
            10.0F);
  page.add(jacobian_map(in, tools, row, is_divided, width));
  return page.take();
}

/// What of the row is not drawn, and what else a reader must know; empty where there is nothing.
std::string left_out_of(const PageInputs& in, const ScaledRow& row) {
  std::string said;
  const std::size_t n_keys = row.divided.weights.size();
  if (n_keys > row.keys.size())
    said += "The mask hides " + grouped(static_cast<long long>(n_keys - row.keys.size())) + " of " +
            grouped(static_cast<long long>(n_keys)) + " keys: they are left out. ";
  if (row.keys.size() > most_listed)
    said += "Listed are the " + std::to_string(most_listed) + " keys with the greatest weights. ";
  if (row.keys.size() > most_jacobian)
    said += "The Jacobian is drawn for the " + std::to_string(most_jacobian) +
            " with the greatest weights of " + grouped(static_cast<long long>(row.keys.size())) +
            "; its norm is that of all. ";
  if (in.trace->has(in.at(StageKind::sink)))
    said +=
        "The head’s sink takes a share q of each row, so that a row of the Jacobian adds up to p q and not "
        "to 0. ";
  const float temperature = in.trace->options().temperature;
  if (temperature != 1.0F)
    said += "Both are divided by the temperature " + number_text(static_cast<double>(temperature)) + ". ";
  if (row.factors.has_own_scale)
    said += "The model multiplies its scores by " +
            number_text(static_cast<double>(in.trace->architecture().score_scale)) + " in place of 1/√" +
            std::to_string(row.factors.width) + ". ";
  return said;
}

}  // namespace

int scaled_query(const PageInputs& in) {
  const int n = in.trace->extent(in.at(StageKind::raw)).rows;
  return std::clamp(in.session.selection.token.value_or(n - 1), 0, std::max(n - 1, 0));
}

std::string reason_against_scale(const PageInputs& in) {
  if (!in.trace->has(in.at(StageKind::raw)))
    return in.trace->complete() ? "This pass has no scores of its own here." : "Computing…";
  if (in.trace->architecture().linear_attention)
    return "Linear attention has no softmax that large scores could sharpen: a common factor of a row's "
           "scores "
           "cancels where they are divided by their sum. Switch linear attention off.";
  if (in.trace->options().softmax == SoftmaxAxis::queries)
    return "The softmax goes over queries here, so that a row of weights does not depend on its own scores "
           "alone. Choose softmax over keys.";
  return {};
}

std::optional<ScaledRow> scaled_row(const PageInputs& in, PageTools& tools) {
  const StageId raw = in.at(StageKind::raw);
  if (!can_read(in, tools, raw)) return std::nullopt;
  ScaledRow row;
  row.raw = raw;
  row.query = scaled_query(in);
  row.token = in.trace->label(raw, Axis::query_tokens, row.query);
  row.factors = score_factors(*in.trace, raw);
  row.divided = softmax_rows(*in.trace, raw, row.query, 1, row.factors.divided).front();
  row.undivided = softmax_rows(*in.trace, raw, row.query, 1, row.factors.undivided).front();
  for (std::size_t key = 0; key < row.divided.scores.size(); ++key) {
    if (std::isfinite(row.divided.scores[key])) row.keys.push_back(static_cast<int>(key));
  }
  return row;
}

std::string sentence_of(const ScaledRow& row) {
  if (row.keys.empty()) return "The mask hides every key from “" + row.token + "”: it has no weights.";
  if (row.keys.size() == 1 && row.divided.sink == 0.0) {
    const bool is_only = row.divided.weights.size() == 1;
    return "“" + row.token + "” sees one key, which has all its weight whatever the score: " +
           (is_only ? "with one key there is nothing to compare." : "choose another token.");
  }
  const double with = jacobian_norm(row.divided);
  const double without = jacobian_norm(row.undivided);
  const std::string norm_with = number_text(with, 2);
  const std::string norm_without = number_text(without, 2);
  const std::string how = row.factors.has_own_scale ? "Without the model’s scale"
                                                    : "Not divided by √" + std::to_string(row.factors.width);
  const std::string said = how + ", the greatest weight in the row of “" + row.token + "” is " +
                           instead_of(number_text(greatest_weight(row.undivided), 2),
                                      number_text(greatest_weight(row.divided), 2)) +
                           ", and the norm of its Jacobian is " + instead_of(norm_without, norm_with);
  constexpr double about_equal = 1.05;
  if (norm_with == norm_without) return said + ".";
  if (without * about_equal < with) return said + ": softmax lets less of a gradient through.";
  if (with * about_equal >= without) return said + ".";
  // A scale of the model's own may be above 1: then it is the scores without it that are smaller.
  return said + ": here more of a gradient gets through, as the " +
         (row.factors.divided > row.factors.undivided ? "scores are smaller."
                                                      : "row is still far from all or nothing.");
}

Page scaled_row_part(const PageInputs& in, PageTools& tools, const ScaledRow& row, float width) {
  PageText page(in, tools, width);
  const bool beside = width >= 2.0F * least_column + between_rows;
  const float each = beside ? std::floor((width - between_rows) / 2.0F) : width;
  Page both = column_of(in, tools, row, true, each);
  const float below = both.figure.height + 2.0F * page_size::spacing;
  append(both, column_of(in, tools, row, false, each), beside ? each + between_rows : 0.0F,
         beside ? 0.0F : below);
  page.add(both);
  page.paragraph(
      "J_ij = ∂ weight_i / ∂ score_j = p_i (δ_ij − p_j): the gradient that reaches the weights is multiplied "
      "by "
      "J on its way to the scores. Its norm, √(Σ J_ij²), is at most 1/2, where two keys share all the "
      "weight; "
      "n equal weights give √(n − 1) / n; one key that has everything gives 0, and nothing is learned "
      "there.");
  if (const std::string left_out = left_out_of(in, row); !left_out.empty()) page.paragraph(left_out);
  return page.take();
}

std::string said_of_jacobian(const PageInputs& in, PageTools& tools, const std::string& table,
                             CellIndex cell) {
  const auto slot = std::ranges::find(jacobian_slots, table);
  if (slot == jacobian_slots.end() || !reason_against_scale(in).empty()) return {};
  const std::optional<ScaledRow> row = scaled_row(in, tools);
  if (!row) return {};
  const std::vector<int> keys = strongest_keys(*row, most_jacobian);
  const auto n = static_cast<int>(keys.size());
  if (cell.row >= n || cell.col >= n) return {};
  const SoftmaxRow& shown = slot == jacobian_slots.begin() ? row->divided : row->undivided;
  const int weight = keys[static_cast<std::size_t>(cell.row)];
  const int score = keys[static_cast<std::size_t>(cell.col)];
  const auto p = [&](int key) { return number_text(shown.weights[static_cast<std::size_t>(key)], 3); };
  const std::string of_weight = "“" + key_label(in, *row, weight) + "”";
  const std::string of_score = "“" + key_label(in, *row, score) + "”";
  const std::string value = number_text(jacobian_cell(shown, weight, score), 3);
  if (weight == score)
    return "∂ weight / ∂ score of " + of_weight + " = p (1 − p) = " + p(weight) + " · (1 − " + p(weight) +
           ") = " + value + ". If its score grows by a little, its weight grows by so many times that.";
  return "∂ weight of " + of_weight + " / ∂ score of " + of_score + " = −p_i p_j = −" + p(weight) + " · " +
         p(score) + " = " + value + ". What " + of_score + " gains, the others lose.";
}

}  // namespace headscope
