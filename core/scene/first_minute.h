#pragma once

#include <array>
#include <string_view>

#include "core/enum_count.h"
#include "core/scene/scene.h"

namespace headscope {

/// The first steps that a new user is invited to take.
enum class FirstStep { write_wide, mask, train };

/// The names of the steps in the settings.
inline constexpr std::array<std::string_view, enum_count<FirstStep>> first_step_names{"write_wide", "mask",
                                                                                      "train"};

/// A new user's progress.
struct FirstMinute {
  enum class State { gone, open, done };
  std::array<State, enum_count<FirstStep>> steps = {};  ///< `gone` means dismissed or never offered.

  /// All steps are open.
  static FirstMinute offered();
  State& at(FirstStep step) { return steps[static_cast<std::size_t>(step)]; }
  State at(FirstStep step) const { return steps[static_cast<std::size_t>(step)]; }
  /// Whether any step is still open.
  bool is_open() const;
  bool operator==(const FirstMinute&) const = default;
};

/// Marks the steps that a scene shows to be done, however that came about: its sentence contains the word
/// “wide”, its mask is causal, or its training was started.
FirstMinute observed(FirstMinute minute, const Scene& scene);

}  // namespace headscope
