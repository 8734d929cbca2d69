#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/parts/folder_list.h"
#include "app/platform/window.h"
#include "core/figure/figure.h"
#include "core/model/trained_model.h"
#include "core/page/figure_file.h"
#include "core/page/film.h"
#include "core/page/page.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// The kinds of files. A figure is the current page, and a map is the selected stage alone. A worksheet is
/// two files: an exercise and its solution.
enum class ExportKind {
  figure,
  map,
  film,
  worksheet,
  window,
  csv,
  npy,
  trace,
  scene,
  web_page,
  command,
  model
};
/// The purposes of files. The export sheet has a line for each.
enum class ExportGroup { pictures, numbers, to_open_again };
struct ExportKindRecord {
  ExportKind kind = ExportKind::figure;
  ExportGroup group = ExportGroup::pictures;
  std::string_view title;
  std::string_view ending;   ///< of a PNG for figures and maps; empty for a folder
  std::string_view meaning;  ///< a sentence that explains it
};
/// The records in the order of ExportKind.
std::span<const ExportKindRecord> export_kinds();
const ExportKindRecord& record_of(ExportKind kind);
/// Whether this system can write such files.
bool is_offered(ExportKind kind);
/// Whether the file is a picture that is drawn for it.
constexpr bool is_drawn(ExportKind kind) {
  return kind == ExportKind::figure || kind == ExportKind::map;
}

/// Whether the weights are not on disk yet. Exporting a figure or worksheet then also saves them, so that it
/// can be opened again.
inline bool has_unsaved_model(const Subject& subject) {
  return subject.model && subject.model->name.empty();
}
/// Whether that holds for any subject of a session.
inline bool has_unsaved_models(const Session& session) {
  return has_unsaved_model(session) || std::ranges::any_of(session.compared, has_unsaved_model);
}

/// Whether the selected heads can be the panels of a figure.
inline bool can_be_panels(const Session& session) {
  const std::size_t n = session.selection.heads.size();
  return n > 1 && n <= FigureSize::max_panels;
}

/// What is copied to the clipboard: the figure of the current page as a picture, or the numbers of the
/// selected stage as a table.
enum class CopyKind { figure, numbers, link };

/// The progress of writing a file, 0 to 1, and whether to cancel it. Shared by the window and the writing
/// thread.
struct ExportProgress {
  std::atomic<float> share = 0.0F;
  std::atomic<bool> is_cancelled = false;
};

/// A file to export.
struct ExportRequest {
  ExportKind kind = ExportKind::figure;
  FileType format = FileType::png;    ///< of figures and maps
  int scale = 2;                      ///< pixels per figure unit, 1 to 4, for PNG
  std::string folder;                 ///< empty: the current folder
  std::string name = {};              ///< empty: a descriptive name that is not taken yet
  bool overwrites = false;            ///< whether to replace a file of that name
  bool adds_number_if_taken = false;  ///< whether to number the new file if its name is taken
  bool creates_folder = false;        ///< whether to make the folder if it does not exist
  Paper paper = Paper::page;          ///< of figures and maps
  /// The size of figures on a page, and of worksheets, in figure units. 0 by 0 means the default size.
  PixelSize paper_dimensions = {};
  bool is_transparent = false;
  FigureStyle look = {};                ///< of figures and maps
  bool has_panels = false;              ///< of maps: those of the heads that are picked
  std::optional<ThemeName> theme = {};  ///< empty: the window's theme
  Exercise exercise = Exercise::row;    ///< the exercise of a worksheet if nothing is covered
  FilmOptions film = {};
  FilmType film_type = FilmType::webp;
  std::shared_ptr<ExportProgress> progress = {};  ///< of a film; null if nobody asks for it
  bool is_from_sheet = false;                     ///< whether the export sheet waits for the result
  bool operator==(const ExportRequest&) const = default;
};

/// The name of the file: "headscope-explore-weights-head-3.png" for a figure, "headscope-weights-head-3.png"
/// for its large map, and "headscope-weights-head-3-difference.png" for that map's difference.
std::string export_name(const Session& session, const ExportRequest& request);

/// A preview of what the file will hold.
struct ExportPreview {
  std::shared_ptr<const Image> image = {};   ///< the preview of a picture; null if there is none
  std::string text = {};                     ///< the beginning of any other file
  std::string size = {};                     ///< “1,920 × 1,080 pixels”
  std::string problem = {};                  ///< the reason why no file can be written
  std::vector<WorksheetAdvice> advice = {};  ///< suggestions that would help
};

/// Why a file could not be written. Problems that the user can resolve in the sheet have their own values.
enum class ExportFailure { none, taken, no_folder, other };

/// The state of the export sheet: the request as it was chosen so far, whose folder is as typed (“~” is the
/// home folder) and whose `progress` is that of the file being written, and the rest of the sheet.
struct ExportForm : ExportRequest {
  bool open = false;
  int film_scale = 1;
  std::optional<FigureSize> sheet_of_paper;  ///< the paper of a worksheet; empty: A4

  std::string path;             ///< the path in its field
  bool has_typed_path = false;  ///< false if the path follows the choices
  bool chooses_folder = false;

  bool is_saving = false;
  ExportFailure failure_kind = ExportFailure::none;
  std::string problem;  ///< why the last attempt failed

  PixelSize preview_size;  ///< the room for the preview's picture, in pixels of the screen
  ExportPreview preview;
  bool is_preview_old = false;  ///< whether a new preview is being made
  FolderListing listing;

  /// Opens the sheet with this kind of file chosen.
  void show(ExportKind chosen) {
    kind = chosen;
    open = true;
  }
};

/// The request that the form describes for a session. `room` is the size of the current page in the window.
ExportRequest request_of(const ExportForm& form, const Session& shown, const PageSize& room);

/// The path that the field shows until one is typed.
std::string default_path(const ExportForm& form, const Session& shown);
/// Applies the typed path. Its extension selects the format of a figure.
void apply_typed_path(ExportForm& form);
/// Replaces the folder in the path.
void choose_folder(ExportForm& form, const std::string& folder);
/// Gives the path the extension of the chosen kind of file.
void update_extension(ExportForm& form);

/// The two parts of a path: the text before the last slash, and the text after it.
std::string folder_of(const std::string& path);
std::string name_in(const std::string& path);

}  // namespace headscope
