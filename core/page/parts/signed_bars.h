#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/parts/page_text.h"

namespace headscope {

/// A column of bars on both sides of 0, or from the left.
struct SignedBars {
  std::string title;
  std::vector<std::optional<double>>
      values;              ///< one a line; nothing: there is none, and BarTable::instead stands there
  bool from_left = false;  ///< no value is below 0
  std::optional<double> most = {};  ///< where a bar ends its room; nothing: the greatest magnitude in it
  std::optional<Color> color = {};  ///< of its bars; nothing: the table's
  bool are_shares = false;          ///< written as people read shares, "< 0.001"
};

/// Lines of bars below a line of titles: a label on the left, a bar of each column beside it.
struct BarTable {
  std::vector<std::string> labels;
  std::vector<SignedBars> columns;
  std::vector<std::string> instead;  ///< one a line: what stands for a number that there is not, as “off”
  std::optional<std::size_t> marked;  ///< the line whose label is in the accent colour
  Color negative, positive;           ///< of bars below and above 0
  float line = 20.0F;                 ///< height of a line, and of the titles
};

/// Each column has a scale of its own, up to SignedBars::most.
Figure draw_bar_table(const BarTable& table, float width, const Theme& theme, const MeasureText& measure);

}  // namespace headscope
