#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/figure/colormap.h"
#include "core/tensor/view.h"
#include "core/trace/window.h"

namespace headscope {

/// Which colour a value gets. Signed values diverge, symmetric about zero: blue above, orange below. Others
/// run from zero to the greatest value. Never changes a number.
class ColorScale {
 public:
  /// A mark beside the colour bar.
  struct Tick {
    float share = 0.0F;  ///< 0 at the bottom of the bar, 1 at its top
    double value = 0.0;
    std::string text;
  };

  ColorScale() = default;
  /// From zero, or symmetric about it, to `high`. Under RangeMode::row only the functions take part that are
  /// given a row's own range; `below` as in the next one.
  ColorScale(const PictureOptions& options, bool is_signed, double high,
             float below = std::numeric_limits<float>::infinity());
  /// The scale of `map`. `all_heads` are the maps that share the range under RangeMode::all_heads (empty:
  /// `map` alone). Only magnitudes `below` count (of masked scores: hidden_magnitude); the views need not
  /// outlive the call.
  ColorScale(const PictureOptions& options, bool is_signed, const MatrixView& map,
             std::span<const MatrixView> all_heads = {},
             float below = std::numeric_limits<float>::infinity());

  /// Nothing for NaN and infinities: such a cell is hatched. `row` matters under RangeMode::row only,
  /// and must be one of the map's.
  std::optional<Color> color(float value, int row = 0) const;
  /// The value's position on the bar, 0 to 1, with values outside the range clamped.
  std::optional<float> share(float value, int row = 0) const;
  /// The same within a range that ends at `high`: high(), or what high_in() says of the value's row.
  std::optional<Color> color_within(float value, double high) const;
  std::optional<float> share_within(float value, double high) const;
  /// The greatest magnitude that the colours of a row reach, under RangeMode::row.
  double high_in(std::span<const float> row) const;
  Color color_at(float share) const { return sample(*map_, share); }

  /// Round numbers within the range, from the bottom to the top; one where it has no width. Under
  /// RangeMode::row the values are shares of the row's greatest magnitude.
  std::vector<Tick> ticks() const;
  /// In words: "per map, linear"; "all heads, symmetric log from 1e−4 of max".
  std::string label() const;

  bool is_signed() const { return is_signed_; }
  /// Whether its ends tell the greatest number of the map.
  bool tells_greatest() const { return range_ != RangeMode::row && range_ != RangeMode::fixed; }
  bool is_per_row() const { return range_ == RangeMode::row; }
  double low() const { return low_; }
  double high() const { return high_; }
  /// The greatest magnitude that the row's colours reach.
  double high_of_row(int row) const {
    return is_per_row() ? row_high_.at(static_cast<std::size_t>(row)) : high_;
  }

 private:
  double warped(double magnitude) const;
  /// A round number, and the distance to the next one.
  struct Round {
    double value, step;
  };
  std::vector<Round> round_numbers(double low, double high) const;
  std::string tick_label(double value, double step) const;

  const ColorMap* map_ = &color_map(SequentialMap::headscope, ThemeName::light);
  bool is_signed_ = false;
  RangeMode range_ = RangeMode::map;
  Transfer transfer_ = Transfer::linear;
  double gamma_ = 1.0;
  double low_ = 0.0;  ///< of unsigned values; signed ones run from −high to high
  double high_ = 1.0;
  float below_ = std::numeric_limits<float>::infinity();  ///< magnitudes that count are
  std::vector<double> row_high_;                          ///< under RangeMode::row
};

}  // namespace headscope
