#pragma once

#include <optional>
#include <span>
#include <vector>

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
  std::optional<Chord> other_key = {};
  void (*show)(Frame& frame);
  /// Whether the inspector has its room beside the view. Elsewhere it lies over the view once a cell of it is
  /// pinned.
  bool has_inspector = false;
  /// Whether the view itself is shown to an audience. Of the others the page alone is.
  bool presents_itself = false;
  /// Goes on or back by one step of the page while it is presented. Null: from stage to stage.
  void (*step)(App& app, int by) = nullptr;
  /// What opens it where there would be nothing to see; it includes the view itself. Null: nothing more.
  std::vector<Action> (*begin)(const Session& session) = nullptr;
};

/// One for each view.
std::span<const ViewRecord> view_records();
const ViewRecord& view_record(PageName page);

/// What opening a view does.
std::vector<Action> opening(PageName page, const Session& session);

/// The session's view below what the window has to say, or why there is none yet.
void shown_view(Frame& frame);

}  // namespace headscope
