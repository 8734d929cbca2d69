#include "app/parts/export_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/checkpoint/scene_file.h"
#include "core/enum_count.h"
#include "core/io/file_stem.h"
#include "core/model/trained_model.h"
#include "core/page/page_record.h"
#include "core/session/names.h"

namespace headscope {
namespace {

constexpr std::array<ExportKindRecord, enum_count<ExportKind>> kinds_of_exports = [] {
  using enum ExportKind;
  using enum ExportGroup;
  return std::array<ExportKindRecord, enum_count<ExportKind>>{{
      {figure, pictures, "Figure", ".png", "The page in view, without its controls."},
      {map, pictures, "Map", ".png", "The selected stage alone, with title, axes and colour bar."},
      {worksheet, pictures, "Worksheet", ".pdf",
       "Two PDFs: an exercise with cells of the selected stage left empty, and its solution."},
      {window, pictures, "Window", ".png", "A PNG of the whole window as it is, without this sheet."},
      {csv, numbers, "CSV", ".csv",
       "The numbers of the selected stage with their labels, for a spreadsheet."},
      {npy, numbers, "NPY", ".npy",
       "The numbers of the selected stage, for NumPy: float32, [rows, columns]."},
      {trace, numbers, "Trace", ".safetensors",
       "Every stage and weight of this pass in one safetensors file."},
      {scene, to_open_again, "Scene", scene_extension,
       "Everything that you see and chose, to open again: sentence, model, masks, selection and looks."},
      {model, to_open_again, "Model", "",
       "The trained weights and their words, in a folder that you can open again."},
  }};
}();
static_assert(
    [] {
      for (std::size_t i = 0; i < kinds_of_exports.size(); ++i)
        if (kinds_of_exports[i].kind != static_cast<ExportKind>(i)) return false;
      return true;
    }(),
    "one record for each kind of export, in their order");

/// The words for a place, such as "-decoder-layer-1-cross". They name only what the model has more than one
/// of.
std::string place_words(const Session& session, StageScope scope) {
  const Architecture& a = session.architecture;
  const Selection& selection = session.selection;
  std::string words;
  if (a.has_cross() && scope >= StageScope::stack) {
    words = selection.stack == Stack::encoder ? "-encoder" : "-decoder";
  }
  if (a.n_layers > 1 && scope >= StageScope::layer) words += "-layer-" + std::to_string(selection.layer);
  const bool is_cross = selection.attention == AttentionKind::cross && scope >= StageScope::attention;
  return words + (is_cross ? "-cross" : "");
}

std::string head_words(const Session& session) {
  return "-head-" + std::to_string(session.selection.head);
}

/// The words for the stage that the session's page is about: "-layer-1-weights-head-0".
std::string stage_words(const Session& session) {
  const StageInfo& about = info(exported_stage(session));
  return place_words(session, about.scope) + "-" + std::string(about.name) +
         (about.scope == StageScope::head ? head_words(session) : "");
}

/// The words for the session's page and the part of the model that it shows:
/// "-explore-layer-1-weights-head-0".
std::string page_words(const Session& session) {
  std::string page = "-" + std::string(name_of_choice(session.view));
  const StageInfo& about = info(exported_stage(session));
  switch (page_record(session.view).stem) {
    case FileStem::page:
      break;
    case FileStem::layer:
      return page + place_words(session, StageScope::attention);
    case FileStem::head:
      return page + place_words(session, StageScope::head) + head_words(session);
    case FileStem::stage_of_all_heads:
      return page + place_words(session, about.scope) + "-" + std::string(about.name);
    case FileStem::stage:
      return page + stage_words(session);
  }
  return page;
}

std::string stem(const Session& session, ExportKind kind) {
  switch (kind) {
    case ExportKind::window:
      return "headscope-window";
    case ExportKind::trace:
      return "headscope-trace";
    case ExportKind::worksheet:
      return "headscope-worksheet";
    case ExportKind::model: {
      const int steps = session.model ? session.model->steps : 0;
      return "headscope-" + (session.task.empty() ? "model" : session.task) + "-" + std::to_string(steps) +
             "-steps";
    }
    case ExportKind::scene:
      if (const std::string named = file_stem(session.title); !named.empty()) return named;
      return "headscope" + page_words(session);
    case ExportKind::figure:
      return "headscope" + page_words(session);
    case ExportKind::map:
    case ExportKind::csv:
    case ExportKind::npy:
      break;
  }
  return "headscope" + stage_words(session);
}

}  // namespace

std::span<const ExportKindRecord> export_kinds() {
  return kinds_of_exports;
}

const ExportKindRecord& record_of(ExportKind kind) {
  return export_kinds()[static_cast<std::size_t>(kind)];
}

std::string extension_of(const ExportRequest& request) {
  if (is_drawn(request.kind) && request.format == FigureFormat::svg) return ".svg";
  if (is_drawn(request.kind) && request.format == FigureFormat::pdf) return ".pdf";
  return std::string(record_of(request.kind).ending);
}

PageSides sides_of(const PageSize& room) {
  constexpr float margins = 48.0F;
  constexpr float least = 200.0F;
  constexpr float greatest = 8000.0F;
  const auto side = [=](float length) {
    return static_cast<int>(std::lround(std::clamp(length + margins, least, greatest)));
  };
  return room.width > 0.0F && room.height > 0.0F ? PageSides{side(room.width), side(room.height)}
                                                 : PageSides{};
}

std::string export_name(const Session& session, const ExportRequest& request) {
  const bool is_difference = is_drawn(request.kind) && session.difference && !session.held.empty();
  return stem(session, request.kind) + (is_difference ? "-difference" : "") + extension_of(request);
}

}  // namespace headscope
