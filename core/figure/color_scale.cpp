#include "core/figure/color_scale.h"

#include <algorithm>
#include <cmath>

#include "core/figure/cell_text.h"

namespace headscope {
namespace {

/// The logarithmic scale spans four decades below the greatest magnitude.
constexpr double decades = 4.0;
constexpr double smallest = 1e-4;

/// The greatest value from zero on that counts; of signed values the greatest magnitude.
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

}  // namespace

ColorScale::ColorScale(const PictureOptions& options, bool is_signed, const MatrixView& map,
                       std::span<const MatrixView> all_heads, float below)
    : map_(is_signed ? &color_map(options.diverging, options.theme)
                     : &color_map(options.sequential, options.theme)),
      is_signed_(is_signed),
      range_(options.range),
      transfer_(options.transfer),
      gamma_(options.gamma) {
  switch (range_) {
    case RangeMode::row:
      row_high_.reserve(static_cast<std::size_t>(map.rows));
      for (int row = 0; row < map.rows; ++row) row_high_.push_back(greatest(map.row(row), is_signed, below));
      break;
    case RangeMode::map:
      high_ = greatest(map, is_signed, below);
      break;
    case RangeMode::all_heads:
      high_ = greatest(map, is_signed, below);
      for (const MatrixView& head : all_heads) high_ = std::max(high_, greatest(head, is_signed, below));
      break;
    case RangeMode::fixed:
      low_ = is_signed ? 0.0 : std::min(options.fixed_low, options.fixed_high);
      high_ = is_signed ? std::max(std::abs(options.fixed_low), std::abs(options.fixed_high))
                        : std::max(options.fixed_low, options.fixed_high);
      break;
  }
}

double ColorScale::warped(double magnitude) const {
  switch (transfer_) {
    case Transfer::logarithmic:
      return magnitude <= smallest ? 0.0 : 1.0 + std::log10(magnitude) / decades;
    case Transfer::gamma:
      return std::pow(magnitude, gamma_);
    case Transfer::linear:
      break;
  }
  return magnitude;
}

double ColorScale::unwarped(double share) const {
  switch (transfer_) {
    case Transfer::logarithmic:
      return std::pow(10.0, (share - 1.0) * decades);
    case Transfer::gamma:
      return std::pow(share, 1.0 / gamma_);
    case Transfer::linear:
      break;
  }
  return share;
}

std::optional<float> ColorScale::share(float value, int row) const {
  if (!std::isfinite(value)) return std::nullopt;
  const double high = is_per_row() ? row_high_.at(static_cast<std::size_t>(row)) : high_;
  const double span = high - low_;
  const double offset = is_signed_ ? std::abs(static_cast<double>(value)) : value - low_;
  const double magnitude = span > 0.0 ? std::clamp(offset / span, 0.0, 1.0) : 0.0;
  const double share = warped(magnitude);
  if (!is_signed_) return static_cast<float>(share);
  return static_cast<float>(value < 0.0F ? 0.5 - share / 2.0 : 0.5 + share / 2.0);
}

std::optional<Color> ColorScale::color(float value, int row) const {
  const std::optional<float> place = share(value, row);
  if (!place) return std::nullopt;
  return color_at(*place);
}

double ColorScale::value_at(double share) const {
  const double high = is_per_row() ? 1.0 : high_;
  if (!is_signed_) return low_ + unwarped(share) * (high - low_);
  const double from_zero = 2.0 * share - 1.0;
  if (from_zero == 0.0) return 0.0;
  return std::copysign(unwarped(std::abs(from_zero)) * high, from_zero);
}

std::string ColorScale::row_tick_text(double value) const {
  if (value == 0.0) return "0";
  if (std::abs(value) == 1.0) return value < 0.0 ? "−max" : "max";
  return tick_text(100.0 * value) + " %";
}

std::vector<ColorScale::Tick> ColorScale::ticks() const {
  std::vector<Tick> result;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    Tick tick{static_cast<float>(share), value_at(share), {}};
    tick.text = is_per_row() ? row_tick_text(tick.value) : tick_text(tick.value);
    const bool holds_smaller = transfer_ == Transfer::logarithmic && !is_signed_ && share == 0.0;
    if (holds_smaller && tick.value != 0.0) tick.text = "≤" + tick.text;
    result.push_back(std::move(tick));
  }
  return result;
}

std::string ColorScale::label() const {
  std::string text;
  switch (range_) {
    case RangeMode::row:
      text = "per row";
      break;
    case RangeMode::map:
      text = "per map";
      break;
    case RangeMode::all_heads:
      text = "all heads";
      break;
    case RangeMode::fixed:
      text = "fixed";
      break;
  }
  switch (transfer_) {
    case Transfer::linear:
      return text + ", linear";
    case Transfer::gamma:
      return text + ", γ " + tick_text(gamma_);
    case Transfer::logarithmic:
      break;
  }
  return text + (is_signed_ ? ", symmetric log from 1e−4 of max" : ", log from 1e−4 of max");
}

}  // namespace headscope
