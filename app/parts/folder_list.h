#pragma once

#include <string>

#include "app/parts/folder_listing.h"
#include "app/ui/ui.h"

namespace headscope {

/// What the user clicked in a list of folders.
struct FolderChoice {
  std::string folder;  ///< the folder to list next; empty if none was clicked
  std::string file;    ///< the path of a file; empty if none was clicked
};

/// Lists a folder: its name, the links out of it, the folders in it and, if `with_files`, the files in it
/// that can be opened. Takes all available room except for one line of buttons.
FolderChoice folder_list(Ui& ui, const FolderListing& listing, bool with_files = false);

}  // namespace headscope
