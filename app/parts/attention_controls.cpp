#include "app/parts/attention_controls.h"

#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"

namespace headscope {

void attention_controls(Frame& frame) {
  section(frame.ui, "Attention");
  AttentionOptions options = frame.session.attention;
  if (toggle(frame.ui, "Scale by 1/√d_head", options.scale,
             "Keeps the variance of the scores from growing with d_head")) {
    frame.emit(SetAttention{options});
  }
  constexpr float low = 0.1F;
  constexpr float high = 10.0F;
  if (slider_float(frame.ui, "temperature", options.temperature, {low, high, 2, true},
                   "Scores are divided by it: below 1 attention gets sharper, above 1 flatter")) {
    frame.emit(SetAttention{options});
  }
  static const std::array<std::string, 2> axes{"over keys", "over queries"};
  int axis = static_cast<int>(options.softmax);
  text(frame.ui, "softmax", Font::sans, text_size::body, frame.ui.theme().text);
  if (segmented(frame.ui, "softmax", axes, axis,
                "Over keys: every row of weights sums to 1. Over queries is a common mistake (dim=0 instead "
                "of dim=−1)")) {
    options.softmax = static_cast<SoftmaxAxis>(axis);
    frame.emit(SetAttention{options});
  }
  if (frame.session.attention.softmax == SoftmaxAxis::queries) {
    notice(
        frame.ui,
        "A common mistake: columns sum to 1 now, rows need not. An output is no longer an average of values.",
        NoticeKind::warning);
  }
}

}  // namespace headscope
