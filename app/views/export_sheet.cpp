#include "app/views/export_sheet.h"

#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/sentence_field.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"

namespace headscope {
namespace {

const std::array<std::string, enum_count<ExportKind>>& kinds() {
  static const auto all = one_for_each<ExportKind, std::string>("Figure", "Map", "Worksheet", "Window", "CSV",
                                                                "NPY", "Trace", "Model");
  return all;
}

const char* meaning_of_figure(const Frame& frame) {
  if (frame.shows_difference()) return "The page in view, as it is: with the difference.";
  return "The page in view, without its controls.";
}

const char* meaning(const Frame& frame, ExportKind kind) {
  switch (kind) {
    case ExportKind::figure:
      return meaning_of_figure(frame);
    case ExportKind::map:
      return "The selected stage alone, with title, axes and colour bar.";
    case ExportKind::worksheet:
      return "Two PDFs on A4: an exercise with the covered numbers left empty (all of the selected stage, if "
             "none are covered), and its solution.";
    case ExportKind::window:
      return "A PNG of the whole window as it is.";
    case ExportKind::csv:
      return "The numbers of the selected stage with their labels, for a spreadsheet.";
    case ExportKind::npy:
      return "The numbers of the selected stage, for NumPy: float32, [rows, columns].";
    case ExportKind::trace:
      return "Every stage and weight of this pass in one safetensors file.";
    case ExportKind::model:
      return frame.session.model
                 ? "The trained weights and their words, in a folder you can reopen (--model)."
                 : "These weights are random, so there is no model to save.";
  }
  return "";
}

void figure_options(Frame& frame) {
  static const auto formats = one_for_each<FigureFormat, std::string>("PNG", "SVG", "PDF");
  ExportForm& form = frame.screen.export_form;
  segmented(frame.ui, "format", formats, form.format, "PNG is pixels; SVG and PDF stay sharp at any size");
  if (form.format != 0) return;
  static const std::array<std::string, 4> scales{"1×", "2×", "3×", "4×"};
  int index = form.scale - 1;
  if (segmented(frame.ui, "scale", scales, index, "Pixels per screen pixel")) form.scale = index + 1;
}

}  // namespace

void export_sheet(Frame& frame) {
  ExportForm& form = frame.screen.export_form;
  if (!form.open) return;
  const Sheet sheet(frame.ui, "export", form.open, 600.0F);
  text(frame.ui, "Export", Font::sans_bold, text_size::title, frame.ui.theme().text);
  segmented(frame.ui, "what", kinds(), form.what, "What to save");
  const auto kind = static_cast<ExportKind>(form.what);
  paragraph(frame.ui, meaning(frame, kind), frame.ui.theme().quiet);
  if (is_drawn(kind)) figure_options(frame);
  text(frame.ui, "To folder", Font::sans, text_size::body, frame.ui.theme().text);
  const bool entered = text_entry(frame.ui, "folder", form.folder, "the current folder",
                                  "The file gets a new name, so nothing is overwritten");
  const ExportRequest request{kind, static_cast<FigureFormat>(form.format), form.scale, form.folder};
  paragraph(frame.ui, "as " + export_name(frame.shown, request), frame.ui.theme().quiet);
  if (button(frame.ui, "Save", "Write the file", "Enter", ButtonLook::primary) || entered ||
      sheet.confirmed()) {
    frame.exports.push_back(request);
    form.open = false;
  }
  ImGui::SameLine();
  if (button(frame.ui, "Cancel", "Close without saving (Esc)")) form.open = false;
}

}  // namespace headscope
