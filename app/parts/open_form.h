#pragma once

#include <string>

#include "app/parts/folder_listing.h"

namespace headscope {

/// The sheet that opens a file.
struct OpenForm {
  bool open = false;
  std::string folder;  ///< that is listed, as it is typed: “~” is the home folder
  FolderListing listing;
};

}  // namespace headscope
