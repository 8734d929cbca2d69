#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope {

struct ValueBox {
  ImVec2 right_top;  ///< the screen position of the upper right corner
  float height = 0.0F;
  bool is_field = false;  ///< always looks like a field, as there is no track to drag
};

/// A monospaced number that becomes a field when it is clicked, on Enter, or with `open`. Returns the typed
/// text once the user presses Enter or moves elsewhere. Escape discards the text. Both texts have '-', which
/// is shown as a minus sign.
std::optional<std::string> value_edit(Ui& ui, const char* id, const std::string& number, const ValueBox& box,
                                      bool open, const char* tooltip);

struct IntRange {
  int min = 0, max = 0;
  int step = 1;              ///< of dragging; any value in the range may be typed
  bool logarithmic = false;  ///< needs min > 0
  /// The limits of typed values, which may exceed those of the track.
  int min_typed = min, max_typed = max;
};

struct FloatRange {
  float min = 0.0F, max = 1.0F;
  int decimals = 2;
  bool logarithmic = false;  ///< needs min > 0
};

/// Why a value is invalid, and the nearest valid ones, which a click sets.
struct Complaint {
  std::string message;           ///< such as "65 is not divisible by 8 heads:"
  std::vector<int> suggestions;  ///< such as 64 and 72
};

/// The valid numbers of a slider. Dragging and arrow keys skip all others; typing one shows a complaint and
/// changes nothing.
struct SliderRules {
  std::function<bool(int)> is_allowed;        ///< null: any number is allowed
  std::function<Complaint(int)> complaint;    ///< about a number that is not allowed
  std::function<std::string(int)> name = {};  ///< shown and typed in place of a number; null: the number
};

/// A label on the left, a value on the right, and a track below. A click on the value, or Ctrl+click on the
/// track, opens the value for typing. Arrow keys change it once Enter or Space has activated the slider. A
/// complaint replaces the track and has the same height, so nothing moves. Returns true if the value changed.
bool slider_int(Ui& ui, const char* label, int& value, const IntRange& range, const char* tooltip,
                const Complaint* complaint = nullptr, const SliderRules& rules = {});
bool slider_float(Ui& ui, const char* label, float& value, const FloatRange& range, const char* tooltip);

}  // namespace headscope
