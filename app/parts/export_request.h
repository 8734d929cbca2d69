#pragma once

#include <string>

#include "core/session/shown_figure.h"

namespace headscope {

/// A figure is the page in view, a map the selected stage alone.
/// A worksheet is two files: an exercise and its solution.
enum class ExportKind { figure, map, worksheet, window, csv, npy, trace, model };
enum class FigureFormat { png, svg, pdf };

/// Whether it is a picture that is drawn for the file.
constexpr bool is_drawn(ExportKind kind) {
  return kind == ExportKind::figure || kind == ExportKind::map;
}

/// What is put on the clipboard: the figure of the page in view as a picture, or the numbers of the selected
/// stage as a table.
enum class Copied { figure, numbers };

/// What to write and where. The file gets a descriptive name that is not taken yet.
struct ExportRequest {
  ExportKind kind = ExportKind::figure;
  FigureFormat format = FigureFormat::png;  ///< of figures and maps
  int scale = 2;                            ///< pixels a figure unit, 1 to 4, for PNG
  std::string folder;                       ///< empty: the current one
};

/// "headscope-explore-weights-head-3.png"; of its large map "headscope-weights-head-3.png", of that map's
/// difference "headscope-weights-head-3-difference.png".
std::string export_name(const Session& session, const ExportRequest& request);

}  // namespace headscope
