#pragma once

namespace headscope {

/// The panels to the left and right of the view. Widths are in design units.
struct SidePanels {
  static constexpr float usual_controls = 248.0F;
  static constexpr float usual_inspector = 296.0F;
  static constexpr float least = 200.0F;
  static constexpr float most = 640.0F;

  bool has_controls = true, has_inspector = true;  ///< false if folded away
  float controls = usual_controls, inspector = usual_inspector;
  bool operator==(const SidePanels&) const = default;
};

}  // namespace headscope
