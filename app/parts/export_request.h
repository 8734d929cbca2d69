#pragma once

#include <string>

#include "core/session/shown_figure.h"

namespace headscope {

enum class ExportKind { figure, window, csv, npy, trace, model };
enum class FigureFormat { png, svg, pdf };

/// What is put on the clipboard: the figure of the page in view as a picture, or the numbers of the selected
/// stage as a table.
enum class Copied { figure, numbers };

/// What to write and where. The file gets a descriptive name that is not taken yet.
struct ExportRequest {
  ExportKind kind = ExportKind::figure;
  FigureFormat format = FigureFormat::png;  ///< of figures
  int scale = 2;                            ///< pixels a figure unit, 1 to 4, for PNG
  std::string folder;                       ///< empty: the current one
};

/// "headscope-weights-head-3.png"; of a difference
/// "headscope-weights-head-3-difference.png".
std::string export_name(const Session& session, const ExportRequest& request);

}  // namespace headscope
