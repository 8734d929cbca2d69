#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"
#include "core/session/action.h"

namespace headscope {

/// The window's workspaces in the order of their tabs. A page that belongs to none is shown beside another
/// page.
enum class Workspace { explore, heads, model, train, ideas, textbooks };

/// The part of an exported file's name that follows the page's name.
enum class FileStem { page, layer, head, stage_of_all_heads, stage };

/// The steps of a page, counted from 1, which keys, presentations and films go through.
struct PageSteps {
  /// How many there are. 0 if the pass has none; null if the page has no steps.
  int (*n)(const PageInputs& in, PageMemo& memo) = nullptr;
  int (*now)(const PageInputs& in, PageMemo& memo) = nullptr;  ///< The current step.
  Action (*to)(const PageInputs& in, int step) = nullptr;      ///< Makes a step the current one.
  bool happens = false;  ///< Whether a step happens bit by bit (PageInputs::step_share).
  double pace = 1.0;     ///< How many times longer than usual a step stays in a film.
};

/// The description of one page. Tabs, the palette, exports, the covering of cells and the tests read these
/// records; a page's response to the mouse in the window is described by its ViewRecord.
struct PageRecord {
  PageName name;
  std::string_view title;              ///< The title of its tab.
  std::string_view purpose;            ///< What the page is for: its question, if it answers one.
  std::optional<Workspace> workspace;  ///< Null if the page is not a view of the window.
  Page (*figure)(const PageInputs& in, const PageSize& size, PageTools& tools);
  /// Asks what the page answers, and answers it for what is selected; an empty question stands for `purpose`.
  /// Null if the page answers nothing.
  Headline (*headline)(const PageInputs& in, PageTools& tools) = nullptr;
  /// Returns the numbers of the page that do not belong to a stage. Null if there are none.
  PageNumbers (*numbers)(const PageInputs& in, PageTools& tools) = nullptr;
  FileStem stem = FileStem::page;
  PageSteps steps = {};
  /// Whether the page has a tab although it is not shown. Null: always.
  bool (*has_tab)(const Session& session) = nullptr;
  bool follows_word =
      false;  ///< Whether the page is about the selected word, so that a film goes from word to word.
  /// Whether single cells of the page can be covered.
  bool can_cover = false;
  /// Returns whether the page's pictures reveal covered numbers in ways that empty cells do not prevent. Null
  /// if they never do.
  bool (*tells_covered)(const PageInputs& in) = nullptr;
  /// Whether the page shows the session's pass. The textbooks page computes passes of its own.
  bool is_of_session = true;
  /// Whether the page draws conclusions from the numbers, which must be finite for that.
  bool concludes = false;
  /// The reason why the page cannot show captured attention. Empty if it can.
  std::string_view beyond_capture = {};
  std::string_view also = {};  ///< Additional search words for the palette.
};

/// In the order in which they appear in the window.
std::span<const PageRecord> page_records();
const PageRecord& page_record(PageName name);

/// The title of a workspace's tab.
std::string_view title_of(Workspace workspace);
/// The workspace of a view. Explore for pages that are not views.
Workspace workspace_of(PageName view);

/// The reason why the page has nothing to show for the session. Empty if it has something.
std::string_view nothing_to_show(const Session& session, PageName name);

/// The question of a page, and its answer unless numbers are covered or overflow. The pass must not be null.
Headline headline_of(const PageInputs& in, PageName name, PageTools& tools);

/// Makes the page for the session, its pass and its training. The same inputs and the same size give the same
/// page on the screen and in files.
Page page_of(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools);

/// Makes a page for paper, with a margin around it and a note if the weights are random or were changed. The
/// size includes the margins and, like them, is in page units; a page that needs more room is larger.
Page printed_page(const PageInputs& in, PageName name, const PageSize& size, float margin,
                  const MeasureText& measure, bool has_heading = true);

/// Makes a page into the figure of a file.
Figure figure_of_page(const PageInputs& in, PageName name, const PageSize& file_size,
                      const MeasureText& measure, bool has_heading);

}  // namespace headscope
