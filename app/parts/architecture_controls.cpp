#include "app/parts/architecture_controls.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

using Limits = ArchitectureLimits;

/// The message and the nearest sizes that work, where the heads do not divide d_model.
std::optional<Complaint> divisibility(const Architecture& a) {
  if (a.d_head || a.d_model % a.n_heads == 0) return std::nullopt;
  Complaint complaint;
  complaint.message =
      std::to_string(a.d_model) + " is not divisible by " + std::to_string(a.n_heads) + " heads:";
  const int below = a.d_model / a.n_heads * a.n_heads;
  if (below >= Limits::min_d_model) complaint.suggestions.push_back(below);
  if (below + a.n_heads <= Limits::max_d_model) complaint.suggestions.push_back(below + a.n_heads);
  return complaint;
}

void optional_width(Frame& frame, const char* label, std::optional<int> Architecture::*width, int automatic,
                    const char* tooltip) {
  Architecture a = frame.session.architecture;
  ImGui::PushID(label);
  int value = (a.*width).value_or(automatic);
  constexpr int widest_by_mouse = 256;
  const IntRange range{Limits::min_head_width, std::max(widest_by_mouse, value), 1, true};
  if (slider_int(frame.ui, label, value, range, tooltip)) {
    a.*width = value;
    frame.emit(SetArchitecture{a});
  }
  if (a.*width) {
    if (link(frame.ui, "back to automatic", "Derive the width from the other sizes")) {
      (a.*width).reset();
      frame.emit(SetArchitecture{a});
    }
  }
  ImGui::PopID();
}

/// The message and the nearest numbers that divide the heads, where this one does not.
std::optional<Complaint> unequal_groups(const Architecture& a) {
  const bool divides = a.kv_heads() > 0 && a.n_heads % a.kv_heads() == 0;
  if (a.n_heads < 1 || divides) return std::nullopt;
  Complaint complaint;
  complaint.message =
      std::to_string(a.kv_heads()) + " does not divide " + std::to_string(a.n_heads) + " heads:";
  const int below = kv_heads_up_to(a.n_heads, a.kv_heads());
  complaint.suggestions = {below};
  if (below == a.n_heads) return complaint;
  complaint.suggestions.push_back(kv_heads_towards(a.n_heads, below, below + 1));
  return complaint;
}

void key_value_heads(Frame& frame) {
  Architecture a = frame.session.architecture;
  if (a.n_heads < 2 && !a.n_kv_heads) return;
  int value = a.kv_heads();
  const auto complaint = unequal_groups(a);
  const char* label = !a.shares_keys()    ? "key/value heads = heads###kv_heads"
                      : a.kv_heads() == 1 ? "key/value heads (multi-query)###kv_heads"
                                          : "key/value heads (grouped)###kv_heads";
  if (!slider_int(frame.ui, label, value, {1, std::max(a.n_heads, value), 1, false},
                  setting("architecture.kv_heads").sentence, complaint ? &*complaint : nullptr))
    return;
  const int divisor = kv_heads_towards(a.n_heads, a.kv_heads(), value);
  a.n_kv_heads = divisor == a.n_heads ? std::nullopt : std::optional(divisor);
  frame.emit(SetArchitecture{a});
}

/// A switch, and where it is on the width of the latent row.
void latent_of_keys(Frame& frame) {
  Architecture a = frame.session.architecture;
  const char* tooltip = setting("architecture.kv_latent").sentence;
  bool on = a.kv_latent.has_value();
  if (toggle(frame.ui, "Latent attention (MLA)", on, tooltip)) {
    a.kv_latent = on ? std::optional(std::max(a.d_model / 2, 1)) : std::nullopt;
    // Of keys that turn as a whole, nothing would come from it.
    if (on && a.n_heads > 0 && a.own_key_width(AttentionKind::self) <= 0) a.rotary.fraction = 0.5F;
    const bool turns_nothing = a.rotates() && a.n_heads > 0 && turned_width(a.rotary, a.head_width()) == 0;
    if (on && turns_nothing) a.positions = Positions::sinusoidal;
    frame.emit(SetArchitecture{a});
  }
  if (!frame.session.architecture.kv_latent) return;
  int width = *frame.session.architecture.kv_latent;
  const IntRange range{1, std::max(std::min(a.d_model, Limits::max_d_model), width), 1, true};
  if (slider_int(frame.ui, "latent width", width, range, tooltip)) {
    a.kv_latent = width;
    frame.emit(SetArchitecture{a});
  }
}

void sizes(Frame& frame) {
  Architecture a = frame.session.architecture;
  const auto complaint = divisibility(a);
  if (slider_int(frame.ui, "d_model", a.d_model, {Limits::min_d_model, Limits::max_d_model, 8, true},
                 setting("architecture.d_model").sentence, complaint ? &*complaint : nullptr)) {
    frame.emit(SetArchitecture{a});
  }
  if (slider_int(frame.ui, "heads", a.n_heads, {Limits::min_heads, Limits::max_heads, 1, true},
                 setting("architecture.heads").sentence)) {
    frame.emit(SetArchitecture{a});
  }
  key_value_heads(frame);
  latent_of_keys(frame);
  const Architecture& now = frame.session.architecture;
  // If the division has a remainder, a custom width helps.
  const bool follows = !now.d_head && !complaint;
  const int automatic = std::max(now.d_model / now.n_heads, 1);
  optional_width(frame, follows ? "d_head = d_model / heads###d_head" : "d_head###d_head",
                 &Architecture::d_head, automatic, setting("architecture.d_head").sentence);
  optional_width(frame, now.d_value ? "d_value###d_value" : "d_value = d_head###d_value",
                 &Architecture::d_value, now.d_head.value_or(automatic),
                 setting("architecture.d_value").sentence);
}

void weights(Frame& frame) {
  Architecture a = frame.session.architecture;
  static const auto inits = one_for_each<Init, std::string>("N(0, 1)", "Xavier", "Scaled");
  int init = static_cast<int>(a.init);
  if (segmented(frame.ui, "init", inits, init, setting("architecture.init").sentence)) {
    a.init = static_cast<Init>(init);
    frame.emit(SetArchitecture{a});
  }
  if (number_field(frame.ui, "seed", a.seed, UINT32_MAX, setting("architecture.seed").sentence)) {
    frame.emit(SetArchitecture{a});
  }
  if (link(frame.ui, "new seed", "Draw new random weights")) frame.emit(CommandId::new_seed);
}

void biases(Frame& frame) {
  struct Choice {
    const char* label;
    bool Biases::*bias;
    const char* tooltip;
  };
  constexpr std::array<Choice, 4> choices{
      {{"Q", &Biases::query, setting("architecture.bias.query").sentence},
       {"K", &Biases::key, setting("architecture.bias.key").sentence},
       {"V", &Biases::value, setting("architecture.bias.value").sentence},
       {"O", &Biases::output, setting("architecture.bias.output").sentence}}};
  const Theme& theme = frame.ui.theme();
  text(frame.ui, "biases", Font::sans, text_size::body, theme.text);
  const float spacing = frame.ui.px(4.0F);
  const float width = frame.ui.px(32.0F);
  const float all = width * 4.0F + spacing * 3.0F;
  ImGui::SameLine(ImGui::GetContentRegionAvail().x - all + ImGui::GetCursorStartPos().x);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) ImGui::SameLine(0.0F, spacing);
    Architecture a = frame.session.architecture;
    bool& on = a.bias.*choices[i].bias;
    const bool shown = on;
    if (button(frame.ui, choices[i].label, choices[i].tooltip, "",
               shown ? ButtonLook::primary : ButtonLook::plain, width)) {
      on = !on;
      frame.emit(SetArchitecture{a});
    }
  }
}

}  // namespace

void size_controls(Frame& frame) {
  sizes(frame);
}

void weight_controls(Frame& frame) {
  section(frame.ui, "Random weights");
  weights(frame);
  biases(frame);
  Architecture a = frame.session.architecture;
  if (toggle(frame.ui, "Output projection", a.output_projection,
             setting("architecture.output_projection").sentence)) {
    frame.emit(SetArchitecture{a});
  }
}

}  // namespace headscope
