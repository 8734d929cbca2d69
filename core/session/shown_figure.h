#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_count.h"
#include "core/session/names.h"
#include "core/session/session.h"

namespace headscope {

/// The medium of a figure. A page is as large as its contents.
enum class Paper { page, slide, column, poster };

/// The complete description of one kind of paper.
struct PaperRecord {
  Paper paper = Paper::page;
  /// Its name for --size. Empty if the size is given by width and height.
  std::string_view name;
  std::string_view title;  ///< The name in the window.
  std::string_view about;  ///< A description in one sentence.
  /// The size of the page layout in figure units; text is 13 units high. It determines how large the text is
  /// on the paper.
  int layout_width = 960, layout_height = 800;
  /// The size in points (1/72 inch). A width of 0 means one point per unit, a height of 0 as high as the
  /// contents.
  float width = 0.0F, height = 0.0F;
  float max_zoom = 1.0F;  ///< The greatest scale, in points for each figure unit.
  /// The default number of PNG pixels for each point.
  int scale = 2;
};

inline constexpr std::array<PaperRecord, enum_count<Paper>> paper_records =
    make_enum_table<Paper, PaperRecord>(
        PaperRecord{Paper::page, "", "Page", "The size of the page in the window."},
        PaperRecord{Paper::slide, "slide", "Slide",
                    "A 16:9 slide, 13.3 × 7.5 inches; as a PNG, 1920 × 1080 pixels; a long page is cut.", 960,
                    540, 960.0F, 540.0F, 2.0F, 2},
        PaperRecord{
            Paper::column, "column", "Column",
            "A column of a paper, 3.3 inches wide; as a PNG, 288 pixels per inch; a long page is cut.", 480,
            600, 237.6F, 0.0F, 0.6F, 4},
        PaperRecord{Paper::poster, "poster", "Poster",
                    "An A1 poster in landscape, 84 × 59 cm; as a PNG, 144 pixels per inch.", 1200, 848,
                    2384.0F, 1684.0F, 4.0F, 2});

/// Lists the names that --size accepts, separated by `between`.
inline std::string paper_names(std::string_view between) {
  std::string names;
  for (const PaperRecord& record : paper_records) {
    if (!record.name.empty()) names += (names.empty() ? "" : std::string(between)) + std::string(record.name);
  }
  return names;
}

constexpr const PaperRecord& record_of(Paper paper) {
  return paper_records[index_of(paper)];
}

/// The typeface of a figure, and the parts around its picture, which a paper's own caption may replace.
struct FigureStyle {
  bool has_title = true;
  bool has_caption = true;    ///< Of a map: explains its rows, columns and hatched cells.
  bool has_color_bar = true;  ///< Of a map.
  bool is_serif = false;      ///< Sets text in a serif typeface, as in a paper.
  bool operator==(const FigureStyle&) const = default;
};

/// The width and height of the page in figure units, and the number of PNG pixels (1 to 4) per unit, or per
/// point of a paper.
struct FigureSize {
  static constexpr int max_side = 8000;
  static constexpr std::size_t max_panels = 26;
  static constexpr int max_scale = 4;
  int width = 960;
  int height = 800;
  int scale = 2;
  /// The page: needed for the whole explorer, the inspector or a worksheet, which share a view with the
  /// explorer's large map. If nullopt, the page of the session's view, but only the large map of the
  /// explorer.
  std::optional<PageName> page = {};
  Paper paper = Paper::page;    ///< Any paper other than `page` overrides width and height.
  bool is_transparent = false;  ///< The figure has no background.
  FigureStyle look = {};
  /// The heads whose maps stand side by side as panels a, b, c …. Empty for the session's own picture.
  std::vector<HeadIndex> panels = {};

  bool operator==(const FigureSize&) const = default;
};

/// The optional parts of a figure, by their names for --without.
inline constexpr std::array figure_parts{std::pair(std::string_view("title"), &FigureStyle::has_title),
                                         std::pair(std::string_view("caption"), &FigureStyle::has_caption),
                                         std::pair(std::string_view("bar"), &FigureStyle::has_color_bar)};
/// Hides the part with this name. Returns false if there is none.
inline bool hide_part(std::string_view name, FigureStyle& look) {
  const auto* const part = std::ranges::find(figure_parts, name, [](const auto& each) { return each.first; });
  if (part == figure_parts.end()) return false;
  look.*part->second = false;
  return true;
}

/// Which figure of a pass to draw.
struct FigureChoice {
  std::optional<StageKind> stage = StageKind::weights;  ///< If nullopt, all stages of one head on a page.
  std::optional<int> head = 0;                          ///< If nullopt, one stage of all heads.
  StageId place;                                        ///< The stack, layer and attention in either case.
  /// The row whose label is marked. Together with `column`, the cell that is outlined.
  std::optional<int> row;
  std::optional<int> column;
  /// Draws the model's diagram instead, with the layer of `place` unfolded.
  bool diagram = false;

  /// Returns the stage of the figure, or one of its stages.
  StageId main_stage() const;
  /// Returns the default page size, which is taller for all stages.
  FigureSize default_size() const;
};

/// Returns the stage that the selected page shows.
StageKind exported_stage(const Session& session);

/// Returns the figure that the selected page shows: one stage, all heads, all stages of a head, or the
/// diagram, with anything pinned or selected marked.
FigureChoice shown_figure(const Session& session);

}  // namespace headscope
