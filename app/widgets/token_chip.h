#pragma once

#include <string_view>

#include "app/ui/ui.h"

namespace headscope {

struct ChipLook {
  bool selected = false;  ///< the query that is looked at: filled with the accent
  float weight = 0.0F;    ///< 0 to 1: how much accent is in the ground
  bool struck = false;    ///< hidden from attention (padding): dashed through
};

/// Size of a token's chip, in ImGui pixels.
ImVec2 token_chip_size(const Ui& ui, std::string_view token);
/// A token as a button at ImGui's cursor. `index` tells equal tokens apart and is their id. True when
/// clicked; hover by ImGui::IsItemHovered().
bool token_chip(Ui& ui, std::string_view token, int index, const ChipLook& look, const char* tooltip);

}  // namespace headscope
