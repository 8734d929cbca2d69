#include "app/parts/attention_controls.h"

#include <array>
#include <cstdint>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

void dropout(Frame& frame) {
  AttentionOptions options = frame.session.attention;
  if (toggle(frame.ui, "Dropout (train)", options.train, setting("attention.train").sentence)) {
    frame.emit(SetAttention{options});
  }
  if (!frame.session.attention.train) return;
  if (slider_float(frame.ui, "p", options.dropout, {0.0F, max_dropout, 2, false},
                   setting("attention.dropout").sentence)) {
    frame.emit(SetAttention{options});
  }
  if (number_field(frame.ui, "dropout seed", options.dropout_seed, UINT32_MAX,
                   setting("attention.dropout_seed").sentence)) {
    frame.emit(SetAttention{options});
  }
}

}  // namespace

void attention_controls(Frame& frame) {
  section(frame.ui, "Attention");
  AttentionOptions options = frame.session.attention;
  if (toggle(frame.ui, "Scale by 1/√d_head", options.scale, setting("attention.scale").sentence)) {
    frame.emit(SetAttention{options});
  }
  constexpr float low = 0.1F;
  constexpr float high = 10.0F;
  if (slider_float(frame.ui, "temperature", options.temperature, {low, high, 2, true},
                   setting("attention.temperature").sentence)) {
    frame.emit(SetAttention{options});
  }
  static const auto axes = one_for_each<SoftmaxAxis, std::string>("over keys", "over queries");
  int axis = static_cast<int>(options.softmax);
  text(frame.ui, "softmax", Font::sans, text_size::body, frame.ui.theme().text);
  if (segmented(frame.ui, "softmax", axes, axis, setting("attention.softmax").sentence)) {
    options.softmax = static_cast<SoftmaxAxis>(axis);
    frame.emit(SetAttention{options});
  }
  dropout(frame);
  if (frame.session.attention.softmax == SoftmaxAxis::queries) {
    notice(frame.ui,
           "A common mistake: now columns sum to 1, and rows need not. Outputs are no longer averages of "
           "values.",
           NoticeKind::warning);
  }
}

}  // namespace headscope
