#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/colormap.h"
#include "core/figure/theme.h"
#include "core/tensor/view.h"
#include "core/trace/number_source.h"

namespace headscope {

/// Maps values to colours. Signed values have diverging colours, symmetric about zero: blue above, orange
/// below. Unsigned values range from zero to the maximum.
class ColorScale {
 public:
  /// A mark beside the colour bar.
  struct Tick {
    float share = 0.0F;  ///< 0 at the bottom of the bar, 1 at its top.
    double value = 0.0;
    std::string text;
  };

  ColorScale() = default;
  /// A scale from zero to `high`, or from −high to high for signed values. Under RangeMode::row, only the
  /// functions that take the range of a row may be used. Ignores magnitudes from `below` on (for masked
  /// scores: hidden_magnitude).
  ColorScale(const PictureOptions& options, bool is_signed, double high,
             float below = std::numeric_limits<float>::infinity());
  /// The scale of `map`, which need not outlive the call.
  ColorScale(const PictureOptions& options, bool is_signed, const MatrixView& map,
             float below = std::numeric_limits<float>::infinity());

  /// The colour of a value. Empty for NaN and infinities, whose cells are hatched. `row` is used only under
  /// RangeMode::row and must be a row of the map.
  std::optional<Color> color(float value, int row = 0) const { return color_within(value, high_of_row(row)); }
  /// The position of a value on the bar, clamped to 0 … 1.
  std::optional<float> share(float value, int row = 0) const { return share_within(value, high_of_row(row)); }
  /// The same for a range up to `high`, which is high() or the high_in() of the value's row.
  std::optional<Color> color_within(float value, double high) const;
  std::optional<float> share_within(float value, double high) const;
  /// The upper end of the colours of a row under RangeMode::row.
  double high_in(std::span<const float> row) const;
  Color color_at(float share) const { return sample(*map_, share); }

  /// Round numbers in the range, from bottom to top; only one if the range is empty. Under RangeMode::row,
  /// shares of the row's maximum magnitude.
  std::vector<Tick> ticks() const;
  /// Describes the scale: "per map, linear"; "all heads, symmetric log from 1e−4 of max".
  std::string label() const;

  bool is_signed() const { return is_signed_; }
  /// Whether the ends of the scale reveal the maximum of the map.
  bool reveals_maximum() const { return range_ != RangeMode::row && range_ != RangeMode::fixed; }
  bool is_per_row() const { return range_ == RangeMode::row; }
  double low() const { return low_; }
  double high() const { return high_; }
  /// The upper end of the colours of a row.
  double high_of_row(int row) const {
    return is_per_row() ? row_high_.at(static_cast<std::size_t>(row)) : high_;
  }

 private:
  double warped(double magnitude) const;
  /// The position of a value on a bar that ends at `high`, from 0 to 1.
  double place_of(double value, double high) const;
  /// Each number with its distance to the next one.
  std::vector<std::pair<double, double>> round_numbers(double low, double high) const;
  std::string tick_label(double value, double step) const;

  const ColorMap* map_ = &color_map(SequentialMap::headscope, ThemeName::light);
  bool is_signed_ = false;
  RangeMode range_ = RangeMode::map;
  Transfer transfer_ = Transfer::linear;
  double gamma_ = 1.0;
  double low_ = 0.0;  ///< For unsigned values. Signed values range from −high to high.
  double high_ = 1.0;
  float below_ = std::numeric_limits<float>::infinity();  ///< Only smaller magnitudes count.
  std::vector<double> row_high_;                          ///< Used under RangeMode::row.
};

/// Draws a vertical bar with the colours of a scale, its values on the right, and beside them the first of
/// the labels that fits along the bar.
void draw_color_bar(const ColorScale& scale, Box bar, std::span<const std::string> labels, float font_size,
                    const Theme& theme, const MeasureText& measure, Figure& figure);

/// Draws only the colours of the bar, for maps whose covered numbers its values would reveal.
void draw_bar_colors(const ColorScale& scale, Box bar, Figure& figure);

/// The colour of the strokes over cells without a number.
inline Color hatch_color(const Theme& theme) {
  return mixed(theme.line, theme.quiet, 0.35F);
}

}  // namespace headscope
