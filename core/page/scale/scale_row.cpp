#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/page/parts/answers.h"
#include "core/page/parts/bar_tables.h"
#include "core/page/parts/map_panel.h"
#include "core/page/scale/scale_page.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

/// The maximum number of keys in a drawn Jacobian: those with the greatest weights.
constexpr std::size_t max_jacobian_keys = 96;

/// The `most` keys of the row with the greatest weights, in the order of the text.
std::vector<int> strongest_keys(const ScaledRow& row, std::size_t most) {
  std::vector<int> keys = row.keys;
  if (keys.size() <= most) return keys;
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::stable_sort(keys, Descending{},
                           [&](int key) { return row.divided.weights[static_cast<std::size_t>(key)]; });
  keys.erase(end, keys.end());
  std::ranges::sort(keys);
  return keys;
}

std::string key_label(const PageInputs& in, const ScaledRow& row, int key) {
  return in.trace->label(row.raw, Axis::key_tokens, key);
}

constexpr std::array<const char*, 2> jacobian_slots{"jacobian divided", "jacobian undivided"};

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

HeatmapSpec jacobian_spec(const PageInputs& in, const ScaledRow& row, bool is_divided, bool has_titles,
                          OwnedMatrix& numbers) {
  const std::vector<int> keys = strongest_keys(row, max_jacobian_keys);
  numbers = jacobian_of(is_divided ? row.divided : row.undivided, keys);
  const OwnedMatrix other = jacobian_of(is_divided ? row.undivided : row.divided, keys);
  std::vector<std::string> labels;
  labels.reserve(keys.size());
  for (const int key : keys) labels.push_back(key_label(in, row, key));
  constexpr bool is_signed = true;
  HeatmapSpec spec = small_table(in.session.picture, numbers, labels, labels, is_signed,
                                 greatest_cell(numbers) < greatest_cell(other) ? other : numbers);
  if (has_titles) {
    spec.row_axis = "weights of";
    spec.col_axis = "scores of";
    spec.title = "∂ weight / ∂ score";
  }
  // In most rows, the numbers of one of the two maps do not fit into its cells. A map with numbers beside one
  // without would seem to contain more.
  spec.numbers = in.session.picture.numbers && in.session.picture.details;
  return spec;
}

constexpr float between_rows = 32.0F;
constexpr float min_column_width = 280.0F;
/// The greatest number of listed keys. A low window lists fewer.
constexpr std::size_t max_listed = 12;
constexpr std::size_t min_listed = 4;

/// "Divided by √16 = 4", "Not divided", "Divided by √16 · 0.5 = 2", "Divided by the temperature 0.5 alone".
std::string title_of_factor(const ScoreFactors& factors, double temperature, bool is_divided) {
  const bool has_temperature = temperature != 1.0;
  const std::string by = number_text(temperature, 3);
  if (!is_divided)
    return has_temperature         ? "Divided by the temperature " + by + " alone"
           : factors.has_own_scale ? "Not multiplied"
                                   : "Not divided";
  if (factors.has_own_scale)
    return "Times the model's scale " + number_text(factors.divided / factors.yarn * temperature, 3) +
           (has_temperature ? " / " + by + " = " + number_text(factors.divided / factors.yarn, 3) : "");
  const double root = std::sqrt(static_cast<double>(factors.width));
  return "Divided by √d_head = √" + std::to_string(factors.width) + (has_temperature ? " · " + by : "") +
         " = " + number_text(root * temperature, 3);
}

/// The number of keys to list and the height of their lines. Limits the keys so that the curves below them
/// stay in sight. `height` is that of the whole page.
std::pair<std::size_t, float> listed_keys(float height, std::size_t n_keys) {
  constexpr float heading = 48.0F;
  constexpr float curves = 226.0F;
  constexpr float line = 18.0F;
  constexpr float low_line = 16.0F;
  const float room = std::max(height - heading - curves, 0.0F);
  const std::size_t n = std::min(n_keys, max_listed);
  if (room / line >= static_cast<float>(n)) return {n, line};
  return {std::min(n, std::max(static_cast<std::size_t>(room / low_line), min_listed)), low_line};
}

/// "0.9 instead of 0.6", or "0.9 as well" if both texts are equal.
std::string instead_of(const std::string& now, const std::string& before) {
  return now == before ? now + " as well" : now + " instead of " + before;
}

Page bars_column(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided, float width,
                 std::size_t n_listed, float line) {
  PageBuilder page(in, tools, width);
  const auto temperature = static_cast<double>(in.trace->options().temperature);
  page.line({page.bold(title_of_factor(row.factors, temperature, is_divided)),
             page.muted(is_divided == row.factors.is_divided ? "as in this pass" : "")},
            8.0F);
  const SoftmaxRow& shown = is_divided ? row.divided : row.undivided;
  BarTable table;
  SignedBars scores{"score", {}};
  SignedBars weights{"weight", {}, true, 1.0};
  double most = 0.0;
  for (const int key : strongest_keys(row, n_listed)) {
    const auto at = static_cast<std::size_t>(key);
    table.labels.push_back(key_label(in, row, key));
    table.instead.emplace_back("–");
    scores.values.emplace_back(shown.scores[at]);
    weights.values.emplace_back(shown.weights[at]);
    most = std::max({most, std::fabs(row.divided.scores[at]), std::fabs(row.undivided.scores[at])});
  }
  scores.most = most;
  table.columns = {std::move(scores), std::move(weights)};
  table.line = line;
  set_diverging_colors(table, in.session.picture);
  page.add(draw_bar_table(table, width, page.theme(), tools.measure));
  return page.take();
}

Page jacobian_column(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided,
                     const PageSize& room) {
  PageBuilder page(in, tools, room.width);
  const SoftmaxRow& shown = is_divided ? row.divided : row.undivided;
  const ScaleWords words = scale_words(*in.trace);
  const bool has_sink = in.trace->has(in.at(StageKind::sink));
  const std::string sink = has_sink ? " · taken by the sink " + in.number(shown.sink) : "";
  page.line(
      {page.bold("Norm " + in.number(jacobian_norm(shown)) + " " + (is_divided ? words.with : words.without),
                 page_size::control)});
  page.paragraph("Entropy " + in.number(entropy_of(shown)) + " nats" + sink);
  // Without titles if there is little height.
  constexpr float min_with_titles = 200.0F;
  const bool has_titles = room.height >= min_with_titles;
  const TableSpec table =
      table_of_pass(in, path(row.raw) + " " + std::to_string(row.query) + (has_titles ? "" : " low"));
  page.add(table_page(
      tools, jacobian_slots[is_divided ? 0 : 1], table,
      [&](OwnedMatrix& numbers) { return jacobian_spec(in, row, is_divided, has_titles, numbers); },
      room.width, room.height));
  return page.take();
}

/// Places the divided and the undivided column side by side or, if space is short, below each other.
template <class Column>
Page both_columns(float width, const Column& column) {
  const bool are_beside = width >= 2.0F * min_column_width + between_rows;
  const float each = are_beside ? std::floor((width - between_rows) / 2.0F) : width;
  Page both = column(true, each);
  append_beside(both, column(false, each), are_beside, each + between_rows, 2.0F * page_size::spacing);
  return both;
}

double hidden_weight(const ScaledRow& row, const SoftmaxRow& shown) {
  double visible = shown.sink;
  for (const int key : row.keys) visible += shown.weights[static_cast<std::size_t>(key)];
  return std::max(1.0 - visible, 0.0);
}

/// For example, ", but with −2.5 in place of their scores, they take 0.3 of the weight divided and 0.2 not
/// divided".
std::string weight_left_out(const PageInputs& in, const ScaledRow& row) {
  constexpr double min_shown = 0.0005;
  const double with = hidden_weight(row, row.divided);
  const double without = hidden_weight(row, row.undivided);
  if (std::max(with, without) < min_shown) return {};
  const ScaleWords words = scale_words(*in.trace);
  return ", but with " + number_text(static_cast<double>(in.trace->mask(row.raw).value)) +
         " in place of their scores, they take " + rounded_text(with) + " of the weight " + words.with +
         " and " + rounded_text(without) + " " + words.without;
}

/// Notes on the parts of the row that are not drawn, and the like. May be empty.
std::string left_out_of(const PageInputs& in, const ScaledRow& row, std::size_t n_listed) {
  std::string said;
  const std::size_t n_keys = row.divided.weights.size();
  if (n_keys > row.keys.size())
    said += "The mask hides " + grouped(static_cast<long long>(n_keys - row.keys.size())) + " of " +
            grouped(static_cast<long long>(n_keys)) + " keys: they are left out" + weight_left_out(in, row) +
            ". ";
  if (row.keys.size() > n_listed)
    said += "The list has the " + std::to_string(n_listed) +
            " keys with the largest weights, in the order of the sentence. ";
  if (row.keys.size() > max_jacobian_keys)
    said += "The Jacobian is drawn for the " + std::to_string(max_jacobian_keys) +
            " with the largest weights of " + grouped(static_cast<long long>(row.keys.size())) +
            "; its norm is that of all. ";
  if (in.trace->has(in.at(StageKind::sink)))
    said +=
        "The head's sink takes a share q of each row, so a row of the Jacobian adds up to p q and not to 0. ";
  const float temperature = in.trace->options().temperature;
  if (temperature != 1.0F)
    said += "Both are divided by the temperature " + number_text(static_cast<double>(temperature)) + ". ";
  if (row.factors.yarn != 1.0) said += "YaRN multiplies both by " + number_text(row.factors.yarn) + ". ";
  if (row.factors.has_own_scale)
    said += "The model multiplies its scores by " +
            number_text(static_cast<double>(in.trace->architecture().score_scale)) +
            " in place of 1/√d_head = 1/√" + std::to_string(row.factors.width) + ". ";
  return said;
}

}  // namespace

int scaled_query(const PageInputs& in) {
  const int n = in.trace->extent(in.at(StageKind::raw)).rows;
  return std::clamp(in.session.selection.token.value_or(n - 1), 0, std::max(n - 1, 0));
}

std::string why_no_scaled_row(const PageInputs& in) {
  if (!in.trace->has(in.at(StageKind::raw)))
    return in.trace->complete() ? "This pass has no scores of its own here." : "Computing…";
  if (in.trace->architecture().linear_attention)
    return "Linear attention has no softmax that large scores could sharpen: a common factor of a row's scores cancels when they are divided by their sum. Switch linear attention off.";
  if (in.trace->options().softmax == SoftmaxAxis::queries)
    return "The softmax runs over queries here, so a row of weights does not depend on its own scores alone. Choose softmax over keys.";
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
  const auto n_keys = static_cast<int>(row.divided.scores.size());
  for (int key = 0; key < n_keys; ++key) {
    if (in.trace->mask(raw).sees(raw.head, row.query, key)) row.keys.push_back(key);
  }
  return row;
}

std::string notable_row(const PageInputs& in, const ScaledRow& shown) {
  if (shown.keys.size() < 2) return {};
  const std::optional<ScaleGain> best = most_affected_query(*in.trace, shown.raw, shown.query);
  if (!best) return {};
  constexpr double nearly_all = 0.9;
  const bool has_leader = max_weight(shown.divided) > nearly_all;
  return std::string(has_leader
                         ? "One score is far ahead in this row, so dividing changes its weights little. "
                         : "Dividing changes the weights of this row little. ") +
         (in.in_file ? "In the row of " : "Click ") +
         quoted_word(in.trace->label(shown.raw, Axis::query_tokens, best->query)) +
         (in.in_file ? "" : " above: there") + ", the largest weight grows from " +
         rounded_text(best->divided) + " to " + rounded_text(best->undivided) + ".";
}

std::vector<std::string> sentences_of(const ScaledRow& row) {
  if (row.keys.empty())
    return {"The mask hides every key from " + quoted_word(row.token) + ": there is nothing to compare."};
  const bool is_all = row.divided.weights[static_cast<std::size_t>(row.keys.front())] == 1.0;
  if (row.keys.size() == 1 && is_all) {
    const bool is_only = row.divided.weights.size() == 1;
    return {quoted_word(row.token) + " sees one key, which has all its weight whatever the score: " +
            (is_only ? "with one key there is nothing to compare." : "choose another token.")};
  }
  const double with = jacobian_norm(row.divided);
  const double without = jacobian_norm(row.undivided);
  const std::string norm_with = rounded_text(with);
  const std::string norm_without = rounded_text(without);
  const std::string how = row.factors.has_own_scale ? "Without the model's scale" : "Not divided by √d_head";
  const std::string weights =
      how + ", the largest weight of " + quoted_word(row.token) + " is " +
      instead_of(rounded_text(max_weight(row.undivided)), rounded_text(max_weight(row.divided))) + ".";
  std::string gradient = "The share of the gradient that gets through softmax to the scores is " +
                         instead_of(norm_without, norm_with);
  constexpr double about_equal = 1.05;
  // If the model has its own scale, it may exceed 1. The scores without it are then the smaller ones.
  if (norm_with != norm_without && with * about_equal < without)
    gradient +=
        ": here, more of a gradient gets through, because the " +
        std::string(row.factors.divided > row.factors.undivided ? "scores are smaller"
                                                                : "row is still far from all or nothing");
  return {weights, gradient + "."};
}

ScaleWords scale_words(const Trace& trace) {
  const auto own = static_cast<double>(trace.architecture().score_scale);
  if (own <= 0.0) return {"with the division", "without the division", "divided", "not divided"};
  const std::string times = "times " + number_text(own);
  return {"with scores " + times, "with scores as they are", times, "times 1"};
}

void add_scaled_bars(const PageInputs& in, PageTools& tools, const ScaledRow& row, float height,
                     PageBuilder& page) {
  const std::pair listed = listed_keys(height, row.keys.size());
  page.add(both_columns(page.width(), [&](bool is_divided, float width) {
    return bars_column(in, tools, row, is_divided, width, listed.first, listed.second);
  }));
  page.paragraph(left_out_of(in, row, listed.first));
}

void add_scaled_jacobians(const PageInputs& in, PageTools& tools, const ScaledRow& row, PageBuilder& page) {
  constexpr float max_height = 320.0F;
  page.add(both_columns(page.width(), [&](bool is_divided, float each) {
    return jacobian_column(in, tools, row, is_divided, {each, std::min(each, max_height)});
  }));
  page.paragraph(
      "J_ij = ∂ weight_i / ∂ score_j = p_i (δ_ij − p_j): the gradient that reaches the weights is multiplied by J on its way to the scores. Its norm, √(Σ J_ij²), is at most 1/2, where two keys share all the weight; n equal weights give √(n − 1) / n; one key that has everything gives 0, and nothing is learned there.");
}

std::string describe_jacobian(const PageInputs& in, PageTools& tools, const std::string& table,
                              CellIndex cell) {
  const auto slot = std::ranges::find(jacobian_slots, table);
  if (slot == jacobian_slots.end() || !why_no_scaled_row(in).empty()) return {};
  const std::optional<ScaledRow> row = scaled_row(in, tools);
  if (!row) return {};
  const std::vector<int> keys = strongest_keys(*row, max_jacobian_keys);
  const auto n = static_cast<int>(keys.size());
  if (cell.row >= n || cell.col >= n) return {};
  const SoftmaxRow& shown = slot == jacobian_slots.begin() ? row->divided : row->undivided;
  const int weight = keys[static_cast<std::size_t>(cell.row)];
  const int score = keys[static_cast<std::size_t>(cell.col)];
  const auto p = [&](int key) { return number_text(shown.weights[static_cast<std::size_t>(key)], 3); };
  const std::string of_weight = quoted_word(key_label(in, *row, weight));
  const std::string of_score = quoted_word(key_label(in, *row, score));
  const std::string value = number_text(jacobian_cell(shown, weight, score), 3);
  if (weight == score)
    return "∂ weight / ∂ score of " + of_weight + " = p (1 − p) = " + p(weight) + " · (1 − " + p(weight) +
           ") = " + value + ". If its score grows a little, its weight grows by that many times as much.";
  return "∂ weight of " + of_weight + " / ∂ score of " + of_score + " = −p_i p_j = −" + p(weight) + " · " +
         p(score) + " = " + value + ". What " + of_score + " gains, the other keys lose.";
}

}  // namespace headscope
