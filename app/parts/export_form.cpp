#include "app/parts/export_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/checkpoint/saved_session.h"
#include "core/enum_count.h"
#include "core/model/trained_model.h"
#include "core/page/page_record.h"
#include "core/paint/pdf_writer.h"
#include "core/session/names.h"
#include "core/system/process.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

constexpr std::array<ExportKindRecord, enum_count<ExportKind>> kinds_of_exports = [] {
  using enum ExportKind;
  using enum ExportGroup;
  return std::array<ExportKindRecord, enum_count<ExportKind>>{{
      {figure, pictures, "Figure", ".png", "The page in view, without its controls."},
      {map, pictures, "Map", ".png", "The selected stage alone, with title, axes and colour bar."},
      {film, pictures, "Film", ".webp",
       "The page in view as a film: step by step where it has steps, otherwise word by word. A film carries no scene."},
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
      {web_page, to_open_again, "Web page", ".html",
       "The program with what you see, in one file that opens in any browser, to send to others."},
      {command, to_open_again, "Command", ".sh",
       "The command that draws what you see, with the options that differ from the defaults, for scripts."},
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

/// The file-name words for a place, such as "-decoder-layer-1-cross", without those that the model has only
/// one of.
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
  std::string page = "-" + std::string(enum_name(session.view));
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
    case ExportKind::web_page:
      if (const std::string named = file_stem(session.title); !named.empty()) return named;
      return "headscope" + page_words(session);
    case ExportKind::figure:
    case ExportKind::film:
    case ExportKind::command:
      return "headscope" + page_words(session);
    case ExportKind::map:
    case ExportKind::csv:
    case ExportKind::npy:
      break;
  }
  return "headscope" + stage_words(session);
}

constexpr std::array<std::pair<std::string_view, FileType>, 3> endings_of_figures{
    {{".png", FileType::png}, {".svg", FileType::svg}, {".pdf", FileType::pdf}}};

constexpr std::string_view ending_of_gif = ".gif";

/// The ending of a file name if this program writes such files; otherwise empty.
std::string_view known_ending(std::string_view name) {
  const auto ends = [name](std::string_view one) {
    return !one.empty() && name.ends_with(one) && one.size() < name.size();
  };
  for (const auto& [ending, format] : endings_of_figures)
    if (ends(ending)) return ending;
  if (ends(ending_of_gif)) return ending_of_gif;
  for (const ExportKindRecord& kind : export_kinds())
    if (ends(kind.ending)) return kind.ending;
  return {};
}

/// The dimensions of a page that fills `room`, the page's space in the window.
PixelSize page_dimensions(const PageSize& room) {
  constexpr float margins = 48.0F;
  constexpr float least = 200.0F;
  constexpr float greatest = 8000.0F;
  const auto side = [=](float length) {
    return static_cast<int>(std::lround(std::clamp(length + margins, least, greatest)));
  };
  return room.width > 0.0F && room.height > 0.0F ? PixelSize{side(room.width), side(room.height)}
                                                 : PixelSize{};
}

/// The ending of the file, such as ".png"; empty for a folder.
std::string extension_of(const ExportRequest& request) {
  if (is_drawn(request.kind) && request.format == FileType::svg) return ".svg";
  if (is_drawn(request.kind) && request.format == FileType::pdf) return ".pdf";
  if (request.kind == ExportKind::film && request.film_type == FilmType::gif)
    return std::string(ending_of_gif);
  return std::string(record_of(request.kind).ending);
}

ExportRequest kind_of_file(const ExportForm& form) {
  ExportRequest request;
  request.kind = form.kind;
  request.format = form.format;
  request.film_type = form.film_type;
  return request;
}

}  // namespace

std::span<const ExportKindRecord> export_kinds() {
  return kinds_of_exports;
}

const ExportKindRecord& record_of(ExportKind kind) {
  return export_kinds()[static_cast<std::size_t>(kind)];
}

bool is_offered(ExportKind kind) {
  const bool is_of_desktop = kind == ExportKind::model || kind == ExportKind::web_page;
  if (kind == ExportKind::film && !can_write_films()) return false;
  return (record_of(kind).ending != ".pdf" || can_write_pdf()) && (!is_of_desktop || has_visible_folders());
}

std::string export_name(const Session& session, const ExportRequest& request) {
  const bool is_difference = is_drawn(request.kind) && session.difference && !session.compared.empty();
  return stem(session, request.kind) + (is_difference ? "-difference" : "") + extension_of(request);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path == "~" ? path : "";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string name_in(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path == "~" ? "" : path;
  return path.substr(slash + 1);
}

ExportRequest request_of(const ExportForm& form, const Session& shown, const PageSize& room) {
  ExportRequest request = kind_of_file(form);
  request.scale = form.scale;
  request.folder = form.folder;
  if (form.has_typed_path) {
    if (has_visible_folders()) request.folder = folder_of(form.path);
    request.name = name_in(form.path);
    const std::string ending = extension_of(request);
    if (!request.name.empty() && !request.name.ends_with(ending)) request.name += ending;
  }
  if (request.kind == ExportKind::worksheet) {
    request.exercise = form.exercise;
    request.paper_dimensions = form.sheet_of_paper
                                   ? PixelSize{form.sheet_of_paper->width, form.sheet_of_paper->height}
                                   : PixelSize{};
    return request;
  }
  if (request.kind == ExportKind::film) {
    request.film = form.film;
    request.scale = form.film_scale;
    request.paper_dimensions = page_dimensions(room);
  }
  if (!is_drawn(request.kind)) return request;
  request.paper = form.paper;
  request.is_transparent = form.is_transparent;
  request.look = form.look;
  request.has_panels = form.has_panels && can_be_panels(shown);
  request.theme = form.theme.value_or(shown.picture.theme);
  if (request.kind == ExportKind::figure && form.paper == Paper::page)
    request.paper_dimensions = page_dimensions(room);
  return request;
}

std::string default_path(const ExportForm& form, const Session& shown) {
  const std::string name = export_name(shown, kind_of_file(form));
  if (form.folder.empty() || form.folder.ends_with('/')) return form.folder + name;
  return form.folder + "/" + name;
}

void apply_typed_path(ExportForm& form) {
  form.has_typed_path = !form.path.empty();
  if (form.kind == ExportKind::film && form.has_typed_path)
    form.film_type = known_ending(form.path) == ending_of_gif ? FilmType::gif : FilmType::webp;
  if (!is_drawn(form.kind)) return;
  for (const auto& [ending, format] : endings_of_figures)
    if (known_ending(form.path) == ending) form.format = format;
}

void choose_folder(ExportForm& form, const std::string& folder) {
  form.folder = folder;
  if (form.has_typed_path) form.path = folder + (folder.ends_with('/') ? "" : "/") + name_in(form.path);
}

void update_extension(ExportForm& form) {
  if (!form.has_typed_path || name_in(form.path).empty()) return;
  const std::string_view old = known_ending(form.path);
  form.path = form.path.substr(0, form.path.size() - old.size()) + extension_of(kind_of_file(form));
}

}  // namespace headscope
