#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The window's workspaces, in the order of their tabs. A page belongs to one, or stands beside another page.
enum class Workspace { explore, heads, model, train, ideas, textbooks };

/// What the name of a page's file says after the page's name.
enum class FileStem { page, layer, head, stage_of_all_heads, stage };

/// Everything that is said of one page. Tabs, the palette, exports, covering and tests walk the records; how
/// a page answers the mouse in the window is said by its ViewRecord.
struct PageRecord {
  PageName name;
  std::string_view title;              ///< of its tab
  std::string_view purpose;            ///< what it is for, in one sentence
  std::optional<Workspace> workspace;  ///< null: it is no view of the window
  Page (*figure)(const PageInputs& in, const PageSize& size, PageTools& tools);
  FileStem stem = FileStem::page;
  /// Whether its cells can be covered one by one.
  bool can_cover = false;
  /// Whether its pictures tell numbers that are covered, which its cells do not leave empty. Null: they never
  /// do.
  bool (*tells_covered)(const PageInputs& in) = nullptr;
  /// Releases what was computed for this page alone. Null: there is nothing.
  void (*forget)(PageMemo& memo) = nullptr;
  /// Whether it is about the session's pass. The textbooks' page computes passes of its own.
  bool is_of_session = true;
  std::string_view also = {};  ///< more words by which the palette finds it
};

/// In the order in which they stand in the window.
std::span<const PageRecord> page_records();
const PageRecord& page_record(PageName name);

/// The title of a workspace's tab.
std::string_view title_of(Workspace workspace);
/// The first view of a workspace.
PageName first_view_of(Workspace workspace);
/// The workspace of a view; that of Explore for pages that are no views.
Workspace workspace_of(PageName view);

/// A page's picture for the session, its pass and its training. The same inputs and the same size give the
/// same page, on the screen and in files.
Page page_of(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools);

/// A page as the figure of a file: with a margin around it, and with a note where its weights are random.
Figure figure_of_page(const PageInputs& in, PageName name, const PageSize& file_size,
                      const MeasureText& measure);

}  // namespace headscope
