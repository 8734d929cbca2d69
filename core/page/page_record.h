#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/page/page.h"
#include "core/page/parts/headline.h"
#include "core/session/action.h"

namespace headscope {

/// The window's workspaces in the order of their tabs.
enum class Workspace { explore, heads, model, train, ideas, textbooks };

/// What follows the page's name in the name of an exported file.
enum class FileStem { page, layer, head, stage_of_all_heads, stage };

/// The steps of a page, counted from 1. Keys, presentations and films step through them.
struct PageSteps {
  /// The number of steps, 0 if the pass has none. Null if the page has no steps.
  int (*n)(const PageInputs& in, PageMemo& memo) = nullptr;
  int (*now)(const PageInputs& in, PageMemo& memo) = nullptr;  ///< The current step.
  Action (*to)(const PageInputs& in, int step) = nullptr;      ///< The action that goes to a step.
  bool is_animated = false;  ///< Steps are animated (PageInputs::step_progress).
  double pace = 1.0;         ///< How many times longer than usual a step stays in a film.
};

/// The description of one page, for tabs, the palette, exports, exercises and tests. ViewRecord describes its
/// response to the mouse in the window.
struct PageRecord {
  PageName name;
  std::string_view title;              ///< The title of its tab.
  std::string_view purpose;            ///< The question that the page answers, or else its purpose.
  std::optional<Workspace> workspace;  ///< Empty if the page is not a view.
  Page (*figure)(const PageInputs& in, const PageSize& size, PageTools& tools);
  /// Returns the page's question and its answer for the selection; an empty question stands for `purpose`.
  /// Null if the page has no headline.
  Headline (*headline)(const PageInputs& in, PageTools& tools) = nullptr;
  /// Returns the numbers of the page that do not belong to a stage, with tools that compute every result at
  /// once. Null if there are none.
  PageNumbers (*numbers)(const PageInputs& in, PageTools& tools) = nullptr;
  FileStem stem = FileStem::page;
  PageSteps steps = {};
  /// Whether the page has a tab while it is not shown. Null for always.
  bool (*has_tab)(const Session& session) = nullptr;
  /// Whether the page is about the selected word, so that a film goes from word to word.
  bool follows_word = false;
  /// Whether single cells of the page can be covered.
  bool can_cover = false;
  /// Whether the page shows the session's pass, unlike the Textbooks page.
  bool shows_session_pass = true;
  /// Whether the page draws conclusions from its numbers, which must then be finite.
  bool draws_conclusions = false;
  /// Why the page cannot show captured attention. Empty if it can.
  std::string_view why_not_for_captures = {};
  std::string_view keywords = {};  ///< Additional search words for the palette.
};

/// All pages in the order of the window.
std::span<const PageRecord> page_records();
const PageRecord& page_record(PageName name);
/// The name of the page with a title, in upper or lower case: "explore" for "map". Returns other words as
/// they are.
std::string page_name_of(const std::string& title);

/// The title of a workspace's tab.
std::string_view title_of(Workspace workspace);
/// The workspace of a view. Workspace::explore for pages that are not views.
Workspace workspace_of(PageName view);

/// Why the page has nothing to show for the session. Empty if it has something.
std::string_view why_empty(const Session& session, PageName name);

/// The headline of a page, without an answer if numbers are covered or overflow. The pass must not be null.
Headline headline_of(const PageInputs& in, PageName name, PageTools& tools);

/// Makes a page. Equal inputs and sizes give equal pages, on the screen and in files.
Page page_of(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools);

/// Makes a page for paper, with margins and a note if the weights are random or changed. The size includes
/// the margins; both are in page units. The page grows if it needs more space.
Page printed_page(const PageInputs& in, PageName name, const PageSize& size, float margin,
                  const MeasureText& measure, bool has_heading = true);

/// Makes a page as the figure of a file. If it is to fill a sheet of this size, but is higher, it becomes
/// wider, as far as it then is larger on the sheet.
Figure figure_of_page(const PageInputs& in, PageName name, const PageSize& file_size,
                      const MeasureText& measure, bool has_heading, bool fills_sheet = false);

/// A page as text, for screen readers.
struct PageTranscript {
  std::string title;
  std::string purpose;   ///< The question that the page answers.
  std::string headline;  ///< Its answer for the selection. Empty if there is none.
  /// The weights of the selected row of the selected head, in key order; only the strongest of a long row.
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Leaves out numbers that an exercise hides.
PageTranscript transcribe_page(const PageInputs& in);

}  // namespace headscope
