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

/// What a file will hold, as far as it can be shown beforehand.
struct ExportPreview {
  std::shared_ptr<const Image> image = {};   ///< of a picture; null: there is none
  std::string text = {};                     ///< of other files: how they begin
  std::string size = {};                     ///< “1,920 × 1,080 pixels”
  std::string problem = {};                  ///< why there will be no file
  std::vector<WorksheetAdvice> advice = {};  ///< what would help
};

/// What hinders a file from being written, where the person can say what to do.
enum class ExportTrouble { none, taken, no_folder, other };

/// The state of the export sheet.
struct ExportForm {
  bool open = false;
  int what = 0;    ///< an ExportKind
  int format = 0;  ///< a FigureFormat
  int scale = 2;
  std::string folder;  ///< as it is typed: “~” is the home folder
  Paper paper = Paper::page;
  std::optional<ThemeName> theme;  ///< nothing: the window's
  bool is_transparent = false;
  Exercise exercise = Exercise::row;
  std::optional<FigureSize> sheet_of_paper;  ///< of a worksheet; nothing: A4

  std::string path;            ///< in the field
  bool is_path_typed = false;  ///< false: it follows what is chosen
  bool chooses_folder = false;

  bool is_saving = false;
  ExportTrouble trouble = ExportTrouble::none;
  std::string problem;  ///< what hindered the last attempt

  PixelSize preview_room;  ///< for its picture, in pixels of the screen
  ExportPreview preview;
  bool is_preview_old = false;  ///< another is being made
  FolderListing listing;

  ExportKind kind() const { return static_cast<ExportKind>(what); }
};

/// What the form asks for of a session. `room`: that the page in view has in the window.
ExportRequest request_of(const ExportForm& form, const Session& shown, const PageSize& room);

/// The path that its field shows where none is typed.
std::string usual_path(const ExportForm& form, const Session& shown);
/// Takes what was typed as the path: of a figure, its ending says the format.
void take_typed_path(ExportForm& form);
/// Puts another folder before the name.
void choose_folder(ExportForm& form, const std::string& folder);
/// Gives the typed name the ending of what is chosen.
void follow_kind(ExportForm& form);

/// A folder's parts as paths have them: what is before the last slash, and what is after it.
std::string folder_of(const std::string& path);
std::string name_in(const std::string& path);

}  // namespace headscope
