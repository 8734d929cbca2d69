#include "app/parts/rotary_controls.h"

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "core/enum_count.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

void emit_rotary(Frame& frame, const Rotary& rotary) {
  Architecture a = frame.session.architecture;
  a.rotary = rotary;
  frame.emit(SetArchitecture{a});
}

/// What a scaling needs besides its name.
void scaling_numbers(Frame& frame) {
  Rotary rotary = frame.session.architecture.rotary;
  if (rotary.scaling == RotaryScaling::none) return;
  if (slider_float(frame.ui, "factor", rotary.factor,
                   {RotaryLimits::min_factor, RotaryLimits::max_factor, 1, true},
                   setting("architecture.rotary.factor").sentence)) {
    emit_rotary(frame, rotary);
  }
  if (rotary.scaling != RotaryScaling::yarn) return;
  if (slider_int(frame.ui, "original length", rotary.original_length,
                 {RotaryLimits::min_length, RotaryLimits::max_length, 1, true},
                 setting("architecture.rotary.original_length").sentence)) {
    emit_rotary(frame, rotary);
  }
}

}  // namespace

void rotary_controls(Frame& frame) {
  if (!frame.session.architecture.rotates()) return;
  Rotary rotary = frame.session.architecture.rotary;
  if (slider_float(frame.ui, "base", rotary.base, {RotaryLimits::min_base, RotaryLimits::max_base, 0, true},
                   setting("architecture.rotary.base").sentence)) {
    emit_rotary(frame, rotary);
  }
  if (frame.session.architecture.sliding_window) {
    bool has_own = rotary.local_base > 0.0F;
    if (toggle(frame.ui, "Local layers have a base of their own", has_own,
               setting("architecture.rotary.local_base").sentence)) {
      rotary.local_base = has_own ? Rotary{}.base : 0.0F;
      emit_rotary(frame, rotary);
    } else if (has_own && slider_float(frame.ui, "base of local layers", rotary.local_base,
                                       {RotaryLimits::min_base, RotaryLimits::max_base, 0, true},
                                       setting("architecture.rotary.local_base").sentence)) {
      emit_rotary(frame, rotary);
    }
  }
  if (slider_float(frame.ui, "share that turns", rotary.fraction,
                   {RotaryLimits::min_fraction, RotaryLimits::max_fraction, 2, false},
                   setting("architecture.rotary.fraction").sentence)) {
    emit_rotary(frame, rotary);
  }
  static const auto pairings = one_for_each<RotaryPairing, std::string>("neighbours", "halves");
  int pairing = static_cast<int>(rotary.pairing);
  if (combo(frame.ui, "pairs", pairings, pairing, setting("architecture.rotary.pairing").sentence)) {
    rotary.pairing = static_cast<RotaryPairing>(pairing);
    emit_rotary(frame, rotary);
  }
  static const auto scalings =
      one_for_each<RotaryScaling, std::string>("none", "linear", "NTK-aware", "YaRN");
  int scaling = static_cast<int>(rotary.scaling);
  if (combo(frame.ui, "long contexts", scalings, scaling, setting("architecture.rotary.scaling").sentence)) {
    rotary.scaling = static_cast<RotaryScaling>(scaling);
    emit_rotary(frame, rotary);
  }
  scaling_numbers(frame);
}

}  // namespace headscope
