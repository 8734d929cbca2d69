#pragma once

#include <optional>

#include "app/parts/frame.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

using PageFunction = Page (*)(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the pages of this frame are made from. `frame.screen.page_version` changes with it.
const PageInputs& page_inputs(Frame& frame);
PageTools page_tools(Frame& frame);

/// What the mouse does on a page.
struct PageAnswer {
  const HitRegion* region = nullptr;  ///< under the mouse; null: none
  Point at;                           ///< the mouse, in the page's units
  bool clicked = false;
  ImVec2 origin;  ///< of the page, on the screen

  /// The cell of a table under the mouse.
  std::optional<CellIndex> table_cell() const;
  /// The region of a kind under the mouse; null: none.
  template <class Kind>
  const Kind* on() const {
    return region == nullptr ? nullptr : std::get_if<Kind>(&region->means);
  }
};

/// Whether a page changes with what the mouse points at.
enum class Follows { selection, mouse };

/// A page, or a part of one, at ImGui's cursor, made anew where its inputs changed, and painted. Its maps
/// answer the mouse; the rest is the caller's. `slot` names the place on the screen; `room` in ImGui pixels.
PageAnswer page_part(Frame& frame, const char* slot, PageFunction make, ImVec2 room,
                     Follows follows = Follows::selection);

}  // namespace headscope
