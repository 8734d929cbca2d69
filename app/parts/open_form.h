#pragma once

#include <string>

#include "app/parts/folder_listing.h"

namespace headscope {

/// The state of the sheet that opens a file.
struct OpenForm {
  bool open = false;
  std::string folder;  ///< the listed folder, as typed: “~” is the home folder
  FolderListing listing;
  bool is_entered = false;  ///< whether what was typed is to be opened as soon as it is listed
};

}  // namespace headscope
