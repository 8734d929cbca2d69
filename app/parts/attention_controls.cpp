#include "app/parts/attention_controls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

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

/// A switch, and where it is on a slider; off is 0.
void optional_factor(Frame& frame, const char* label, float Architecture::*factor, float usual,
                     const FloatRange& range, const char* tooltip) {
  Architecture a = frame.session.architecture;
  bool on = a.*factor > 0.0F;
  if (toggle(frame.ui, label, on, tooltip)) {
    a.*factor = on ? usual : 0.0F;
    frame.emit(SetArchitecture{a});
  }
  if (frame.session.architecture.*factor == 0.0F) return;
  ImGui::PushID(label);
  if (slider_float(frame.ui, "C", a.*factor, range, tooltip)) frame.emit(SetArchitecture{a});
  ImGui::PopID();
}

void switched(Frame& frame, const char* label, bool Architecture::*part, const char* tooltip) {
  Architecture a = frame.session.architecture;
  if (toggle(frame.ui, label, a.*part, tooltip)) frame.emit(SetArchitecture{a});
}

/// What has no place beside linear attention goes when it is switched on.
void linear_control(Frame& frame) {
  Architecture a = frame.session.architecture;
  if (toggle(frame.ui, "Linear attention", a.linear_attention,
             setting("architecture.linear_attention").sentence)) {
    if (a.linear_attention) {
      a.sinks = false;
      a.softcap = 0.0F;
      a.score_scale = 0.0F;
      a.kv_latent.reset();
      if (a.rotates() || a.biases_positions()) a.positions = Positions::sinusoidal;
    }
    frame.emit(SetArchitecture{a});
  }
}

/// What newer models do in their attention.
void variant_controls(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  linear_control(frame);
  constexpr float least = 0.01F;
  constexpr float most = 100.0F;
  constexpr float usual_softcap = 50.0F;
  constexpr float usual_logit_softcap = 30.0F;
  if (!a.linear_attention || a.softcap > 0.0F)
    optional_factor(frame, "Softcap of the scores", &Architecture::softcap, usual_softcap,
                    {least, most, 2, true}, setting("architecture.softcap").sentence);
  if (!a.linear_attention || a.sinks)
    switched(frame, "Sinks", &Architecture::sinks, setting("architecture.sinks").sentence);
  switched(frame, "Norm of queries and keys", &Architecture::qk_norm,
           setting("architecture.qk_norm").sentence);
  switched(frame, "Gate of the heads' outputs", &Architecture::output_gate,
           setting("architecture.output_gate").sentence);
  if (a.output_layer == OutputLayer::none) return;
  optional_factor(frame, "Softcap of the logits", &Architecture::logit_softcap, usual_logit_softcap,
                  {least, most, 2, true}, setting("architecture.logit_softcap").sentence);
}

/// Its own factor in place of 1/√d_head.
void own_scale(Frame& frame) {
  Architecture a = frame.session.architecture;
  bool on = a.score_scale > 0.0F;
  const char* tooltip = setting("architecture.score_scale").sentence;
  if (toggle(frame.ui, "Scale of its own", on, tooltip)) {
    a.score_scale = on ? 1.0F / std::sqrt(static_cast<float>(std::max(a.head_width(), 1))) : 0.0F;
    frame.emit(SetArchitecture{a});
  }
  if (frame.session.architecture.score_scale == 0.0F) return;
  constexpr float least = 0.01F;
  if (slider_float(frame.ui, "scale", a.score_scale, {least, 2.0F, 3, true}, tooltip))
    frame.emit(SetArchitecture{a});
}

/// What is done to scores before softmax: nothing where attention is linear, as it would cancel.
void scale_controls(Frame& frame) {
  AttentionOptions options = frame.session.attention;
  const char* scaled = frame.session.architecture.score_scale > 0.0F ? "Scale the scores###scale"
                                                                     : "Scale by 1/√d_head###scale";
  if (toggle(frame.ui, scaled, options.scale, setting("attention.scale").sentence)) {
    frame.emit(SetAttention{options});
  }
  if (frame.session.attention.scale) own_scale(frame);
  constexpr float low = 0.1F;
  constexpr float high = 10.0F;
  if (slider_float(frame.ui, "temperature", options.temperature, {low, high, 2, true},
                   setting("attention.temperature").sentence)) {
    frame.emit(SetAttention{options});
  }
}

void softmax_axis(Frame& frame) {
  AttentionOptions options = frame.session.attention;
  static const auto axes = one_for_each<SoftmaxAxis, std::string>("over keys", "over queries");
  int axis = static_cast<int>(options.softmax);
  text(frame.ui, "softmax", Font::sans, text_size::body, frame.ui.theme().text);
  if (segmented(frame.ui, "softmax", axes, axis, setting("attention.softmax").sentence)) {
    options.softmax = static_cast<SoftmaxAxis>(axis);
    frame.emit(SetAttention{options});
  }
}

}  // namespace

void attention_controls(Frame& frame) {
  section(frame.ui, "Attention");
  const Architecture& a = frame.session.architecture;
  const bool over_queries = frame.session.attention.softmax == SoftmaxAxis::queries;
  if (!a.linear_attention || a.score_scale > 0.0F) scale_controls(frame);
  variant_controls(frame);
  if (!a.linear_attention || over_queries) softmax_axis(frame);
  dropout(frame);
  if (over_queries && !a.linear_attention) {
    notice(frame.ui,
           "A common mistake: now columns sum to 1, and rows need not. Outputs are no longer averages of "
           "values.",
           NoticeKind::warning);
  }
}

}  // namespace headscope
