#pragma once

#include <array>
#include <string_view>

#include "core/enum_count.h"
#include "core/scene/scene.h"

namespace headscope {

/// What a newcomer is invited to do first.
enum class FirstStep { write_wide, mask, train };

/// Their names in the settings.
inline constexpr std::array<std::string_view, enum_count<FirstStep>> first_step_names{"write_wide", "mask",
                                                                                      "train"};

/// How far a newcomer has come.
struct FirstMinute {
  enum class State { gone, open, done };
  std::array<State, enum_count<FirstStep>> steps = {};  ///< gone: dismissed, or never offered

  /// With everything still to be done.
  static FirstMinute offered();
  State& at(FirstStep step) { return steps[static_cast<std::size_t>(step)]; }
  State at(FirstStep step) const { return steps[static_cast<std::size_t>(step)]; }
  /// Whether anything is still to be done.
  bool is_open() const;
  bool operator==(const FirstMinute&) const = default;
};

/// The same with what a scene shows as done: its sentence has the word “wide”, its mask is causal, or it
/// trains. However it came about.
FirstMinute observed(FirstMinute minute, const Scene& scene);

}  // namespace headscope
