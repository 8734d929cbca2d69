#include "core/figure/position_map.h"

#include <cmath>
#include <cstdlib>

#include "core/model/positions.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

std::vector<std::string> count_text(int first, int count) {
  std::vector<std::string> labels;
  for (int i = first; i < first + count; ++i) {
    labels.push_back(i < 0 ? "−" + std::to_string(-i) : std::to_string(i));
  }
  return labels;
}

OwnedMatrix added_rows(const PositionSource& source) {
  if (source.architecture.positions == Positions::learned) {
    return OwnedMatrix(source.table.block(0, 0, source.n_positions, source.table.cols));
  }
  return wave_table(source.architecture, source.n_positions, source.width);
}

RotaryFrequencies turns_of(const PositionSource& source) {
  const Architecture& a = source.architecture;
  return rotary_frequencies(a.rotary_of(source.layer), a.head_width(source.layer), a.kv_latent.has_value());
}

OwnedMatrix turned(PositionPicture picture, const PositionSource& source) {
  const RotaryFrequencies turns = turns_of(source);
  OwnedMatrix table = rotary_angles(source.n_positions, turns);
  if (picture == PositionPicture::angles) return table;
  const bool is_cosine = picture == PositionPicture::cosines;
  for (int position = 0; position < table.rows; ++position) {
    for (int pair = 0; pair < table.cols; ++pair) {
      const double angle = turns.angle(position, pair);
      const double wave = is_cosine ? std::cos(angle) : std::sin(angle);
      table.at(position, pair) = static_cast<float>(turns.amplitude * wave);
    }
  }
  return table;
}

OwnedMatrix products(const PositionSource& source) {
  if (source.architecture.positions == Positions::rotary) {
    return rotary_products(source.n_positions, turns_of(source));
  }
  return row_products(added_rows(source).view());
}

OwnedMatrix numbers_of(PositionPicture picture, const PositionSource& source) {
  if (picture == PositionPicture::rows) return added_rows(source);
  if (picture == PositionPicture::products) return products(source);
  if (picture != PositionPicture::biases) return turned(picture, source);
  return bias_table(source.architecture, source.table, source.stack, source.n_positions);
}

std::vector<std::string> head_labels(const Architecture& a) {
  std::vector<std::string> labels;
  for (int head = 0; head < a.n_heads; ++head) {
    std::string label = "head " + std::to_string(head);
    if (a.positions == Positions::alibi) label += ", m " + number_text(alibi_slope(a, head), 3);
    labels.push_back(std::move(label));
  }
  return labels;
}

void label_axes(PositionPicture picture, const PositionSource& source, HeatmapSpec& spec) {
  const bool is_bias = picture == PositionPicture::biases;
  spec.row_labels = is_bias ? head_labels(source.architecture) : count_text(0, spec.extent().rows);
  spec.col_labels = count_text(is_bias ? 1 - source.n_positions : 0, spec.extent().cols);
  if (!is_bias) spec.row_axis = "position";
  spec.col_axis = is_bias                                ? "distance: key − query"
                  : picture == PositionPicture::rows     ? "dimension"
                  : picture == PositionPicture::products ? "position"
                                                         : "pair of dimensions";
}

std::string row_sentence(const PositionSource& source, CellIndex cell, const std::string& number) {
  const std::string position = std::to_string(cell.row);
  const std::string place = "Position " + position + ", dimension " + std::to_string(cell.col);
  const Positions kind = source.architecture.positions;
  if (kind == Positions::learned) return place + " of the table: " + number;
  const PositionWave wave = position_wave(source.architecture, cell.col, source.width);
  const std::string angle = std::to_string(wave.first + cell.row) + " / " + number_text(wave.divisor);
  return place + ": " + (wave.is_sine ? "sin(" : "cos(") + angle + ") = " + number;
}

std::string turn_sentence(const PositionSource& source, CellIndex cell) {
  const Rotary rotary = source.architecture.rotary_of(source.layer);
  const RotaryFrequencies turns = turns_of(source);
  const double angle = turns.angle(cell.row, cell.col);
  const auto [one, other] = turns.dimensions(cell.col);
  const std::string position = std::to_string(cell.row);
  const std::string how =
      rotary.scaling == RotaryScaling::none && rotary.divisors.empty()
          ? position + " / " + number_text(rotary.base) + "^(" + std::to_string(2 * cell.col) + "/" +
                std::to_string(2 * turns.n_pairs()) + ")"
          : position + " × " + number_text(turns.frequencies[static_cast<std::size_t>(cell.col)]);
  return "Position " + position + ", dimensions " + std::to_string(one) + " and " + std::to_string(other) +
         ": rotated by " + how + " = " + number_text(angle) + " rad; cos " +
         number_text(turns.amplitude * std::cos(angle)) + ", sin " +
         number_text(turns.amplitude * std::sin(angle));
}

std::string bias_sentence(const PositionSource& source, CellIndex cell, const std::string& number) {
  const int distance = cell.col - (source.n_positions - 1);
  const std::string steps = std::to_string(std::abs(distance));
  const std::string place = distance == 0  ? "the query's own key"
                            : distance < 0 ? "a key " + steps + " before the query"
                                           : "a key " + steps + " after the query";
  return "Head " + std::to_string(cell.row) + " adds " + number + " to the score of " + place;
}

}  // namespace

HeatmapSpec position_map(PositionPicture picture, const PositionSource& source, const PictureOptions& options,
                         OwnedMatrix& numbers) {
  numbers = numbers_of(picture, source);
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  spec.numbers = options.numbers;
  const bool is_turn = picture == PositionPicture::cosines || picture == PositionPicture::sines;
  const bool by_values = options.range != RangeMode::row && options.range != RangeMode::fixed;
  PictureOptions of_picture = options;
  if (is_turn && by_values) {
    of_picture.range = RangeMode::fixed;
    of_picture.fixed_high = turns_of(source).amplitude;
    of_picture.fixed_low = -of_picture.fixed_high;
  }
  spec.scale = ColorScale(of_picture, picture != PositionPicture::angles, numbers.view());
  spec.color_bar_label = false;
  spec.font_size = 12.0F;
  label_axes(picture, source, spec);
  return spec;
}

std::vector<ColumnGroup> position_groups(const PositionSource& source, const PictureOptions& options) {
  if (source.architecture.positions != Positions::split) return {};
  const int half = (source.width + 1) / 2;
  constexpr int n_halves = 2;
  return {{0, half, "sines", head_color(options, 0, n_halves)},
          {half, source.width - half, "cosines", head_color(options, 1, n_halves)}};
}

std::string position_sentence(PositionPicture picture, const PositionSource& source,
                              const OwnedMatrix& numbers, CellIndex cell) {
  const std::string number = number_text(numbers.at(cell.row, cell.col));
  if (picture == PositionPicture::rows) return row_sentence(source, cell, number);
  if (picture == PositionPicture::biases) return bias_sentence(source, cell, number);
  if (picture != PositionPicture::products) return turn_sentence(source, cell);
  return "Position " + std::to_string(cell.row) + " · position " + std::to_string(cell.col) + " = " + number;
}

}  // namespace headscope
