#pragma once

#include <optional>

#include "app/parts/frame.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/page_record.h"

namespace headscope {

/// What the pages of this frame are made from. `frame.screen.page_version` changes with it.
const PageInputs& page_inputs(Frame& frame);
PageTools page_tools(Frame& frame);

/// What the mouse does on a page.
struct PageAnswer {
  const Page* page = nullptr;         ///< stays until the next one of its name is made
  const HitRegion* region = nullptr;  ///< under the mouse; null: none
  Point at;                           ///< the mouse, in the page's units
  bool clicked = false;
  ImVec2 origin;  ///< of the page, on the screen

  /// The part of a kind that the mouse is in, whatever lies over it; null: none.
  template <class Kind>
  const Kind* within() const {
    if (region == nullptr) return nullptr;
    for (const HitRegion& part : page->regions) {
      const auto* kind = std::get_if<Kind>(&part.means);
      if (kind != nullptr && part.box.contains(at)) return kind;
    }
    return nullptr;
  }
  /// The cell of a table under the mouse.
  std::optional<CellIndex> table_cell() const;
  /// The region of a kind under the mouse; null: none.
  template <class Kind>
  const Kind* on() const {
    return region == nullptr ? nullptr : std::get_if<Kind>(&region->means);
  }
};

/// What of the mouse a page changes with: nothing, the token that it points at, or the cell as well.
enum class Follows { selection, token, mouse };

/// A page at ImGui's cursor, made anew where its inputs changed, and painted. Its maps answer the mouse; the
/// rest is the caller's. `room` in ImGui pixels.
PageAnswer page_part(Frame& frame, PageName name, ImVec2 room, Follows follows = Follows::selection);

}  // namespace headscope
