#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope {

struct IntRange {
  int min = 0, max = 0;
  int step = 1;              ///< dragging goes in multiples of it; a typed value may be any in the range
  bool logarithmic = false;  ///< needs min > 0
  /// Limits of what is typed, where they are further than those of the track.
  int least_typed = min, most_typed = max;
};

struct FloatRange {
  float min = 0.0F, max = 1.0F;
  int decimals = 2;
  bool logarithmic = false;  ///< needs min > 0
};

/// Why a value cannot hold, and the nearest that can: a click on one takes it.
struct Complaint {
  std::string message;           ///< "65 is not divisible by 8 heads:"
  std::vector<int> suggestions;  ///< 64, 72
};

/// Which numbers a slider can have: dragging and arrow keys go through these alone, and one that is typed and
/// is none of them changes nothing but the line below it, which says why.
struct SliderRules {
  std::function<bool(int)> can_be;          ///< null: any
  std::function<Complaint(int)> complaint;  ///< of one that cannot be
};

/// Label left, value right (a click on it, or Ctrl+click on the track, lets it be typed), track below.
/// Arrow keys change it once Enter or Space has activated it. A complaint takes the place of the track, of
/// the same height, so that nothing moves. True when the value changed.
bool slider_int(Ui& ui, const char* label, int& value, const IntRange& range, const char* tooltip,
                const Complaint* complaint = nullptr, const SliderRules& rules = {});
bool slider_float(Ui& ui, const char* label, float& value, const FloatRange& range, const char* tooltip);

}  // namespace headscope
