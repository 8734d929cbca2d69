#include "core/figure/color_scale.h"

#include <algorithm>
#include <cmath>

#include "core/enum_count.h"
#include "core/figure/heatmap_metrics.h"
#include "core/figure/text_fit.h"
#include "core/figure/tick_text.h"

namespace headscope {
namespace {

/// The logarithmic scale spans four decades below the greatest magnitude.
constexpr double decades = 4.0;
constexpr double smallest = 1e-4;
constexpr double min_share =
    0.005;  ///< As a share of the bar. A value that is nearer to an end is placed at the end.
constexpr double percent = 100.0;
/// The rounding error of sums and quotients of doubles, in steps.
constexpr double rounding = 1e-6;

/// The greatest number of the form 1, 2, 2.5 or 5 times a power of ten that is at most `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {5.0, 2.5, 2.0}) {
    if (factor * power <= value * (1.0 + rounding)) return factor * power;
  }
  return power;
}

/// The greatest value above zero that counts. For signed values, the greatest magnitude.
double greatest(std::span<const float> values, bool is_signed, float below) {
  float result = 0.0F;
  for (const float value : values) {
    const float magnitude = is_signed ? std::abs(value) : value;
    if (magnitude > result && magnitude < below) result = magnitude;
  }
  return result;
}

double greatest(const MatrixView& map, bool is_signed, float below) {
  double result = 0.0;
  for (int row = 0; row < map.rows; ++row)
    result = std::max(result, greatest(map.row(row), is_signed, below));
  return result;
}

/// The largest set of the bar's numbers at regular intervals that do not touch each other. The number nearest
/// to zero is always included, so a diverging scale has the same numbers above and below zero. Each comes
/// with the height of its middle.
std::vector<std::pair<std::string, float>> ticks_with_room(const ColorScale& scale, Box bar, float line) {
  const std::vector<ColorScale::Tick> ticks = scale.ticks();
  // The outermost numbers stay beside the bar. If the bar is lower than a number, it stands at the middle of
  // the bar.
  const float inset = std::min(0.4F * line, 0.5F * bar.h);
  const auto y_of = [&](std::size_t i) {
    return std::min(std::max(bar.bottom() - ticks[i].share * bar.h, bar.y + inset), bar.bottom() - inset);
  };
  const auto nearest = std::min_element(ticks.begin(), ticks.end(), [](const auto& a, const auto& b) {
    return std::abs(a.value) < std::abs(b.value);
  });
  const auto zero = static_cast<std::size_t>(nearest - ticks.begin());
  const auto place = [&](std::size_t every) {
    std::vector<std::pair<std::string, float>> placed;
    for (std::size_t i = zero % every; i < ticks.size(); i += every)
      placed.emplace_back(ticks[i].text, y_of(i));
    return placed;
  };
  const auto touch = [line](const auto& lower, const auto& upper) {
    return lower.second - upper.second < 1.1F * line;
  };
  for (std::size_t every = 1;; ++every) {
    auto placed = place(every);
    if (placed.size() < 2 || std::ranges::adjacent_find(placed, touch) == placed.end()) return placed;
  }
}

}  // namespace

ColorScale::ColorScale(const PictureOptions& options, bool is_signed, const MatrixView& map, float below)
    : map_(is_signed ? &color_map(options.diverging, options.theme)
                     : &color_map(options.sequential, options.theme)),
      is_signed_(is_signed),
      range_(options.range),
      transfer_(options.transfer),
      gamma_(options.gamma),
      below_(below) {
  if (range_ == RangeMode::row) {
    for (int row = 0; row < map.rows; ++row) row_high_.push_back(greatest(map.row(row), is_signed, below));
  } else if (range_ == RangeMode::fixed) {
    low_ = is_signed ? 0.0 : std::min(options.fixed_low, options.fixed_high);
    high_ = is_signed ? std::max(std::abs(options.fixed_low), std::abs(options.fixed_high))
                      : std::max(options.fixed_low, options.fixed_high);
  } else {
    high_ = greatest(map, is_signed, below);
  }
}

ColorScale::ColorScale(const PictureOptions& options, bool is_signed, double high, float below)
    : ColorScale(options, is_signed, MatrixView{}, below) {
  if (range_ != RangeMode::fixed) high_ = high;
}

double ColorScale::warped(double magnitude) const {
  if (transfer_ == Transfer::logarithmic)
    return magnitude <= smallest ? 0.0 : 1.0 + std::log10(magnitude) / decades;
  return transfer_ == Transfer::gamma ? std::pow(magnitude, gamma_) : magnitude;
}

double ColorScale::place_of(double value, double high) const {
  const double span = high - low_;
  const double offset = is_signed_ ? std::abs(value) : value - low_;
  const double share = warped(span > 0.0 ? std::clamp(offset / span, 0.0, 1.0) : 0.0);
  return is_signed_ ? 0.5 + std::copysign(share / 2.0, value) : share;
}

std::optional<float> ColorScale::share_within(float value, double high) const {
  if (!std::isfinite(value)) return std::nullopt;
  return static_cast<float>(place_of(value, high));
}

std::optional<Color> ColorScale::color_within(float value, double high) const {
  const std::optional<float> place = share_within(value, high);
  if (!place) return std::nullopt;
  return color_at(*place);
}

double ColorScale::high_in(std::span<const float> row) const {
  return greatest(row, is_signed_, below_);
}

std::string ColorScale::tick_label(double value, double step) const {
  if (!is_per_row()) return round_number_text(value, step);
  if (value == 0.0) return "0";
  if (std::abs(value) == 1.0) return value < 0.0 ? "−max" : "max";
  return tick_text(percent * value) + " %";
}

/// Round numbers within a range, either multiples of one step or powers of ten. For signed values, only those
/// above zero.
std::vector<std::pair<double, double>> ColorScale::round_numbers(double low, double high) const {
  std::vector<std::pair<double, double>> all;
  if (!(high > low) || !std::isfinite(high - low)) return all;
  if (transfer_ == Transfer::logarithmic) {
    if (!(high > 0.0)) return all;
    const int last = static_cast<int>(std::floor(std::log10(high) + rounding));
    for (int power = last - static_cast<int>(decades); power <= last; ++power) {
      const double value = std::pow(10.0, power);
      if (value - low >= smallest * (high - low)) all.emplace_back(value, value);
    }
    return all;
  }
  const double step = round_step((high - low) / (is_signed_ ? 2.0 : 3.0));
  const double first = std::ceil(low / step - rounding);
  const double last = std::floor(high / step + rounding);
  // The count is limited, because in a very narrow range adding 1 to a multiple does not change it.
  constexpr double most = 16.0;
  const int count = static_cast<int>(std::clamp(last - first + 1.0, 0.0, most));
  for (int k = 0; k < count; ++k) {
    const double multiple = first + k;
    if (multiple != 0.0 || !is_signed_) all.emplace_back(std::min(multiple * step, high), step);
  }
  return all;
}

std::vector<ColorScale::Tick> ColorScale::ticks() const {
  const double high = is_per_row() ? 1.0 : high_;
  std::vector<Tick> result;
  const auto add = [&](double value, double step) {
    const double place = place_of(value, high);
    Tick tick{static_cast<float>(place), value, tick_label(value, step)};
    const bool holds_smaller = transfer_ == Transfer::logarithmic && !is_signed_ && place < min_share;
    if (holds_smaller && value != 0.0) tick.text = "≤" + tick.text;
    result.push_back(std::move(tick));
  };
  const auto numbers = round_numbers(low_, high);
  if (is_signed_) {
    for (auto it = numbers.rbegin(); it != numbers.rend(); ++it) add(-it->first, it->second);
    add(0.0, 1.0);
  }
  for (const auto& [value, step] : numbers) add(value, step);
  if (result.empty()) add(low_, 0.0);
  return result;
}

std::string ColorScale::label() const {
  static constexpr auto ranges =
      make_enum_table<RangeMode, const char*>("per map", "per row", "per map", "all heads", "fixed");
  const bool is_to_one = range_ == RangeMode::fixed && !is_signed_ && low_ == 0.0 && high_ == 1.0;
  const std::string text = is_to_one ? "0 to 1" : ranges[index_of(range_)];
  if (transfer_ == Transfer::linear) return text + ", linear";
  if (transfer_ == Transfer::gamma) return text + ", γ " + tick_text(gamma_);
  return text + (is_signed_ ? ", symmetric log from 1e−4 of max" : ", log from 1e−4 of max");
}

void draw_bar_colors(const ColorScale& scale, Box bar, Figure& figure) {
  const int n_steps = std::clamp(static_cast<int>(bar.h), 2, 128);
  for (int i = 0; i < n_steps; ++i) {
    // Each step reaches down to the end of the bar and is covered by the next one, so that no seams are
    // visible.
    const float top = bar.y + bar.h * static_cast<float>(i) / static_cast<float>(n_steps);
    const float share = 1.0F - static_cast<float>(i) / static_cast<float>(n_steps - 1);
    add_box(figure, {bar.x, top, bar.w, bar.bottom() - top}, scale.color_at(share));
  }
}

void draw_color_bar(const ColorScale& scale, Box bar, std::span<const std::string> labels, float font_size,
                    const Theme& theme, const MeasureText& measure, Figure& figure) {
  using namespace heatmap_metrics;
  draw_bar_colors(scale, bar, figure);
  const float size = tick_size(font_size);
  const float line = measure("0", Font::mono, size).height;
  float widest = 0.0F;
  for (const auto& [text, y] : ticks_with_room(scale, bar, line)) {
    add_text(figure, text, {bar.right() + tick_distance, y}, theme.quiet, size, Font::mono);
    widest = std::max(widest, measure(text, Font::mono, size).width);
  }
  const auto label = std::ranges::find_if(
      labels, [&](const std::string& words) { return measure(words, Font::sans, size).width <= bar.h; });
  if (label == labels.end()) return;
  const float x = bar.right() + tick_distance + widest + bar_label_distance + 0.5F * line;
  figure.write(*label, {x, bar.y + 0.5F * bar.h}, theme.quiet, size, Font::sans, HorizontalAnchor::center,
               VerticalAnchor::middle, 90.0F);
}

}  // namespace headscope
