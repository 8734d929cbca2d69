#pragma once

#include <span>

#include "app/imgui/keys.h"
#include "app/parts/frame.h"
#include "core/page/page_record.h"

namespace headscope {

class App;

/// How a page is used in the window: the record of a view. What it is and how it is drawn says its
/// PageRecord.
struct ViewRecord {
  PageName page;
  Chord key;
  void (*show)(Frame& frame);
  /// Whether the view itself is shown to an audience. Of the others the page alone is.
  bool presents_itself = false;
  /// Goes on or back by one step of the page while it is presented. Null: from stage to stage.
  void (*step)(App& app, int by) = nullptr;
};

/// One for each view.
std::span<const ViewRecord> view_records();
const ViewRecord& view_record(PageName page);

/// The session's view below what the window has to say, or why there is none yet.
void shown_view(Frame& frame);

}  // namespace headscope
