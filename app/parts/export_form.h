#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/parts/export_request.h"
#include "app/parts/folder_listing.h"
#include "app/platform/window.h"
#include "core/figure/figure.h"
#include "core/page/worksheet/worksheet_page.h"

namespace headscope {

/// A preview of what the file will hold.
struct ExportPreview {
  std::shared_ptr<const Image> image = {};   ///< the preview of a picture; null if there is none
  std::string text = {};                     ///< the beginning of any other file
  std::string size = {};                     ///< “1,920 × 1,080 pixels”
  std::string problem = {};                  ///< the reason why no file can be written
  std::vector<WorksheetAdvice> advice = {};  ///< suggestions that would help
};

/// The reason why a file cannot be written, with separate values where the user can decide what to do.
enum class ExportTrouble { none, taken, no_folder, other };

/// The state of the export sheet.
struct ExportForm {
  bool open = false;
  int what = 0;    ///< an index into ExportKind
  int format = 0;  ///< an index into FigureFormat
  int scale = 2;
  std::string folder;  ///< as typed: “~” is the home folder
  Paper paper = Paper::page;
  std::optional<ThemeName> theme;  ///< empty: the window's theme
  bool is_transparent = false;
  Exercise exercise = Exercise::row;
  std::optional<FigureSize> sheet_of_paper;  ///< the paper of a worksheet; empty: A4

  std::string path;            ///< the path in its field
  bool is_path_typed = false;  ///< false if the path follows the choices
  bool chooses_folder = false;

  bool is_saving = false;
  ExportTrouble trouble = ExportTrouble::none;
  std::string problem;  ///< the problem that stopped the last attempt

  PixelSize preview_room;  ///< the room for the preview's picture, in pixels of the screen
  ExportPreview preview;
  bool is_preview_old = false;  ///< whether a new preview is being made
  FolderListing listing;

  ExportKind kind() const { return static_cast<ExportKind>(what); }
};

/// The request that the form describes for a session. `room` is the size of the current page in the window.
ExportRequest request_of(const ExportForm& form, const Session& shown, const PageSize& room);

/// The path that the field shows until the user types one.
std::string usual_path(const ExportForm& form, const Session& shown);
/// Applies a path that was typed. The ending of a figure's path selects the format.
void take_typed_path(ExportForm& form);
/// Replaces the folder in the path.
void choose_folder(ExportForm& form, const std::string& folder);
/// Gives the typed name the ending of the chosen kind of file.
void follow_kind(ExportForm& form);

/// The two parts of a path: the text before the last slash, and the text after it.
std::string folder_of(const std::string& path);
std::string name_in(const std::string& path);

}  // namespace headscope
