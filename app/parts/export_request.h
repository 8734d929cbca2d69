#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/page/page_inputs.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// A figure is the page in view, a map the selected stage alone.
/// A worksheet is two files: an exercise and its solution.
enum class ExportKind { figure, map, worksheet, window, csv, npy, trace, scene, model };
/// What the files are for: the sheet has a line for each.
enum class ExportGroup { pictures, numbers, to_open_again };
struct ExportKindRecord {
  ExportKind kind = ExportKind::figure;
  ExportGroup group = ExportGroup::pictures;
  std::string_view title;
  std::string_view ending;   ///< of a figure or a map as PNG; of a folder nothing
  std::string_view meaning;  ///< a sentence
};
/// In the order of ExportKind.
std::span<const ExportKindRecord> export_kinds();
const ExportKindRecord& record_of(ExportKind kind);
enum class FigureFormat { png, svg, pdf };

/// Whether it is a picture that is drawn for the file.
constexpr bool is_drawn(ExportKind kind) {
  return kind == ExportKind::figure || kind == ExportKind::map;
}

/// What is put on the clipboard: the figure of the page in view as a picture, or the numbers of the selected
/// stage as a table.
enum class Copied { figure, numbers };

/// Of a page or a paper, in figure units; 0 by 0: the usual ones.
struct PageSides {
  int width = 0, height = 0;
  bool operator==(const PageSides&) const = default;
};
/// Of a file whose page has as much room as one in the window.
PageSides sides_of(const PageSize& room);

/// What to write and where.
struct ExportRequest {
  ExportKind kind = ExportKind::figure;
  FigureFormat format = FigureFormat::png;  ///< of figures and maps
  int scale = 2;                            ///< pixels a figure unit, 1 to 4, for PNG
  std::string folder;                       ///< empty: the current one
  std::string name = {};                    ///< empty: a descriptive one that is not taken yet
  bool replaces = false;                    ///< a file of that name
  bool keeps_both = false;                  ///< gives the new one a number where it is taken
  bool makes_folder = false;                ///< where there is none
  Paper paper = Paper::page;                ///< of figures and maps
  PageSides paper_sides = {};               ///< of figures on a page, and of worksheets
  bool is_transparent = false;
  std::optional<ThemeName> theme = {};  ///< nothing: the window's
  Exercise exercise = Exercise::row;    ///< of a worksheet where nothing is covered
  bool is_of_sheet = false;             ///< whose answer the export sheet waits for
  bool operator==(const ExportRequest&) const = default;
};

/// ".png"; of a folder nothing.
std::string extension_of(const ExportRequest& request);

/// A title as a file's name: "Why it looks back" → "why-it-looks-back".
std::string file_stem(const std::string& title);

/// "headscope-explore-weights-head-3.png"; of its large map "headscope-weights-head-3.png", of that map's
/// difference "headscope-weights-head-3-difference.png".
std::string export_name(const Session& session, const ExportRequest& request);

}  // namespace headscope
