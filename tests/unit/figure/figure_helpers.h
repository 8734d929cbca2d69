#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/paint/font_faces.h"

namespace headscope::test {

/// Measures every letter as 0.6 and every line as 1.2 times the size: layouts without a font.
inline MeasureText uniform_measure() {
  return [](std::string_view text, Font /*font*/, float size) {
    int letters = 0;
    for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return TextSize{0.6F * size * static_cast<float>(letters), 1.2F * size};
  };
}

inline std::shared_ptr<FontFaces> installed_fonts() {
  return FontFaces::open_installed().value_or(nullptr);
}

inline OwnedMatrix random_matrix(int rows, int cols, std::mt19937& generator, float low, float high) {
  std::uniform_real_distribution<float> uniform(low, high);
  OwnedMatrix matrix(rows, cols);
  for (float& value : matrix.values) value = uniform(generator);
  return matrix;
}

inline std::vector<std::string> random_words(int count, std::mt19937& generator) {
  std::uniform_int_distribution<int> length(1, 18);
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) words.emplace_back(static_cast<std::size_t>(length(generator)), 'm');
  return words;
}

template <class Kind>
std::vector<Kind> items_of(const Figure& figure) {
  std::vector<Kind> result;
  for (const Item& item : figure.items) {
    if (const auto* kind = std::get_if<Kind>(&item)) result.push_back(*kind);
  }
  return result;
}

/// The corners of a label's measured box, rotated about its anchor.
inline std::vector<Point> corners(const Label& label, const MeasureText& measure) {
  const TextSize size = measure(label.text, label.font, label.size);
  const float left = label.horizontal == HorizontalAnchor::left     ? 0.0F
                     : label.horizontal == HorizontalAnchor::center ? -0.5F * size.width
                                                                    : -size.width;
  const float top = label.vertical == VerticalAnchor::top      ? 0.0F
                    : label.vertical == VerticalAnchor::middle ? -0.5F * size.height
                                                               : -size.height;
  const float angle = -label.degrees * 3.14159265F / 180.0F;
  std::vector<Point> result;
  for (const Point p : {Point{left, top}, Point{left + size.width, top},
                        Point{left + size.width, top + size.height}, Point{left, top + size.height}}) {
    result.push_back({label.at.x + p.x * std::cos(angle) - p.y * std::sin(angle),
                      label.at.y + p.x * std::sin(angle) + p.y * std::cos(angle)});
  }
  return result;
}

/// Whether two convex shapes overlap by more than `tolerance` along every axis (separating axes).
inline bool overlap(const std::vector<Point>& a, const std::vector<Point>& b, float tolerance = 0.05F) {
  for (const auto* shape : {&a, &b}) {
    for (std::size_t i = 0; i < shape->size(); ++i) {
      const Point p = (*shape)[i];
      const Point q = (*shape)[(i + 1) % shape->size()];
      const float length = std::hypot(q.x - p.x, q.y - p.y);
      if (length == 0.0F) return false;
      const Point axis{(q.y - p.y) / length, (p.x - q.x) / length};
      const auto range = [axis](const std::vector<Point>& points) {
        float low = INFINITY;
        float high = -INFINITY;
        for (const Point point : points) {
          const float along = point.x * axis.x + point.y * axis.y;
          low = std::min(low, along);
          high = std::max(high, along);
        }
        return std::pair(low, high);
      };
      const auto [a_low, a_high] = range(a);
      const auto [b_low, b_high] = range(b);
      if (std::min(a_high, b_high) - std::max(a_low, b_low) <= tolerance) return false;
    }
  }
  return true;
}

/// A temporary folder, removed after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "headscope_figure_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace headscope::test
