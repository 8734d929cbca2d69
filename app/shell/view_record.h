#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/imgui/keys.h"
#include "app/parts/frame.h"
#include "core/page/page_record.h"

namespace headscope {

class App;

/// The record of a view: how a page is used in the window. The PageRecord says what the page is and how it is
/// drawn.
struct ViewRecord {
  PageName page;
  Chord key;
  std::optional<Chord> other_key = {};
  void (*show)(Frame& frame);
  /// Whether the inspector has a place beside the view. Otherwise it covers part of the view once a cell of
  /// the view is pinned.
  bool has_inspector = false;
  /// Whether the whole view is shown to an audience. For other views, only the page is shown.
  bool presents_whole_view = false;
  /// Whether the page itself shows how its numbers are computed, so that the inspector never covers it.
  bool shows_computation = false;
  /// The actions that open the view, if more is needed than showing it: something to compare, or the first
  /// step. Null otherwise.
  std::vector<Action> (*begin)(const App& app) = nullptr;
};

/// One record for each view.
std::span<const ViewRecord> view_records();
const ViewRecord& view_record(PageName page);

/// The actions that open a view.
std::vector<Action> opening(PageName page, const App& app);

/// Draws the session's view, or why there is none yet.
void draw_current_view(Frame& frame);

/// Lays out the window for one frame: the bar on top, the sentence, the controls, the view, the inspector,
/// and a status line at the bottom. In a narrow window, controls and inspector share a column; in a small
/// one, there is only one column. A presentation shows only the page.
void window_layout(Frame& frame, int n_threads);

}  // namespace headscope
