#pragma once

#include <string>
#include <utility>
#include <vector>

namespace headscope {

class Ui;

/// The contents of a folder.
struct FolderListing {
  std::string folder;              ///< as requested
  std::string shown, parent;       ///< the folder and its parent, written for the user
  std::vector<std::string> names;  ///< the folders in it
  /// The names of the files and folders that can be opened, and what they are: “scene”, “figure”, “model”.
  std::vector<std::pair<std::string, std::string>> files;
  bool is_model = false;  ///< whether the folder itself can be opened
  std::string problem;    ///< why the folder cannot be listed; empty if it can
  bool is_there = true;   ///< false if there is no such folder
};

/// What the user clicked in a list of folders.
struct FolderChoice {
  std::string folder;  ///< the folder to list next; empty if none was clicked
  std::string file;    ///< the path of a file; empty if none was clicked
};

/// Lists a folder: its name, the links out of it, the folders in it and, if `with_files`, the files in it
/// that can be opened. Takes all available room except for one line of buttons.
FolderChoice folder_list(Ui& ui, const FolderListing& listing, bool with_files = false);

}  // namespace headscope
