#include "core/page/scale/scale_jacobian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "core/page/parts/answers.h"
#include "core/page/parts/table_panel.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

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
  const double both = std::max(greatest_cell(numbers),
                               greatest_cell(jacobian_of(is_divided ? row.undivided : row.divided, keys)));
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  std::vector<std::string> labels;
  labels.reserve(keys.size());
  for (const int key : keys) labels.push_back(key_label(in, row, key));
  spec.row_labels = labels;
  spec.col_labels = std::move(labels);
  if (has_titles) {
    spec.row_axis = "weights of";
    spec.col_axis = "scores of";
    spec.title = "∂ weight / ∂ score";
  }
  PictureOptions options = in.session.picture;
  options.range = RangeMode::map;
  constexpr bool is_signed = true;
  spec.scale = ColorScale(options, is_signed, both);
  spec.color_bar_label = false;
  if (!in.session.picture.details) spec.notation = CellNotation::rounded;
  spec.font_size = 11.0F;
  // In most rows, the numbers of one of the two maps do not fit into its cells. A map with numbers beside one
  // without would seem to contain more.
  spec.numbers = in.session.picture.numbers && in.session.picture.details;
  return spec;
}

}  // namespace

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

Page jacobian_map(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided,
                  const PageSize& room) {
  constexpr float min_with_titles = 200.0F;
  const bool has_titles = room.height >= min_with_titles;
  const TableSpec table{.name = path(row.raw) + " " + std::to_string(row.query) + (has_titles ? "" : " low"),
                        .trace = in.trace,
                        .picture = in.session.picture};
  return table_page(
      tools, jacobian_slots[is_divided ? 0 : 1], table,
      [&](OwnedMatrix& numbers) { return jacobian_spec(in, row, is_divided, has_titles, numbers); },
      room.width, room.height);
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
