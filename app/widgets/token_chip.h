#pragma once

#include <string_view>

#include "app/ui/ui.h"

namespace headscope {

struct ChipLook {
  bool selected = false;  ///< the query that is looked at, which is filled with the accent
  float weight = 0.0F;    ///< 0 to 1: the share of accent in the background
  bool struck = false;    ///< hidden from attention (padding), shown with a dashed line through it
};

/// The size of a token's chip in ImGui pixels.
ImVec2 token_chip_size(const Ui& ui, std::string_view token);
/// A token as a button at ImGui's cursor. `index` is the id that distinguishes equal tokens. Returns true if
/// clicked. Use ImGui::IsItemHovered() for hovering.
bool token_chip(Ui& ui, std::string_view token, int index, const ChipLook& look, const char* tooltip);

}  // namespace headscope
