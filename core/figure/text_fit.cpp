#include "core/figure/text_fit.h"

#include <algorithm>
#include <vector>

namespace headscope {
namespace {

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

int count_code_points(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string fitted_text(std::string_view text, float width, Font font, float size,
                        const MeasureText& measure) {
  if (measure(text, font, size).width <= width) return std::string(text);
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_code_point(text[i])) starts.push_back(i);
  }
  const auto cut_at = [text](std::size_t bytes) { return std::string(text.substr(0, bytes)) + "…"; };
  // The first cut that is too wide; those before it fit.
  const auto too_wide = std::partition_point(starts.begin(), starts.end(), [&](std::size_t bytes) {
    return measure(cut_at(bytes), font, size).width <= width;
  });
  return too_wide == starts.begin() ? std::string() : cut_at(*(too_wide - 1));
}

}  // namespace headscope
