#pragma once

#include <string>

#include "app/parts/folder_listing.h"
#include "app/ui/ui.h"

namespace headscope {

/// What was clicked in a list of folders.
struct FolderChoice {
  std::string folder;  ///< another one to list; empty: none
  std::string file;    ///< the path of a file; empty: none
};

/// A folder: its name, the ways out of it, the folders within it, and, where `with_files`, what can be opened
/// in it. Takes the room that is there but for one line of buttons.
FolderChoice folder_list(Ui& ui, const FolderListing& listing, bool with_files = false);

}  // namespace headscope
