#pragma once

#include <optional>
#include <string>

#include "app/parts/frame.h"
#include "core/lesson/lesson.h"
#include "core/page/page.h"
#include "core/page/page_record.h"

namespace headscope {

/// The inputs from which the pages of this frame are made. `frame.screen.page_version` changes with them.
const PageInputs& page_inputs(Frame& frame);
PageTools page_tools(Frame& frame);

/// The mouse on a page.
struct PageMouse {
  const Page* page = nullptr;         ///< valid until the next page of this name is made
  const HitRegion* region = nullptr;  ///< the region under the mouse; null if there is none
  Point at;                           ///< the position of the mouse in the page's units
  bool clicked = false;
  ImVec2 origin;  ///< the page's corner on the screen

  /// The region of a kind under the mouse, even if another region lies over it. Null if there is none.
  template <class Kind>
  const Kind* within() const {
    if (region == nullptr) return nullptr;
    for (const HitRegion& part : page->regions) {
      const auto* kind = std::get_if<Kind>(&part.meaning);
      if (kind != nullptr && part.box.contains(at)) return kind;
    }
    return nullptr;
  }
  /// The first region of a kind whose meaning fits. Null if there is none.
  template <class Kind, class Fits>
  const HitRegion* first(const Fits& fits) const {
    for (const HitRegion& part : page->regions) {
      const auto* kind = std::get_if<Kind>(&part.meaning);
      if (kind != nullptr && fits(*kind)) return &part;
    }
    return nullptr;
  }
  template <class Kind>
  const HitRegion* first() const {
    return first<Kind>([](const Kind&) { return true; });
  }
  /// The cell of a table under the mouse.
  std::optional<CellIndex> table_cell() const;
  /// The topmost region under the mouse if it is of this kind; otherwise null.
  template <class Kind>
  const Kind* on() const {
    return region == nullptr ? nullptr : std::get_if<Kind>(&region->meaning);
  }
};

/// What a page depends on besides its inputs: nothing, the token under the mouse, the cell as well, or the
/// progress of its step.
enum class PageDependency { selection, token, mouse, step };

/// Draws a page at ImGui's cursor, rebuilding it if its inputs have changed. Handles the mouse on its maps;
/// the caller handles the rest. `room` is in ImGui pixels.
PageMouse draw_page(Frame& frame, PageName name, PageDependency dependency = PageDependency::selection,
                    ImVec2 room = ImGui::GetContentRegionAvail());

/// The text of the lesson `from`. A click on a link opens the lesson that it names, or copies an address,
/// because this program opens no browser.
void draw_prose(Frame& frame, const Prose& text, Color color, float size, const Lesson& from);

/// A link to one of the program's lessons, by its name. Draws nothing if there is none of this name.
void lesson_link(Frame& frame, const std::string& name, float size);

}  // namespace headscope
