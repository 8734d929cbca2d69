#pragma once

#include <string>
#include <vector>

namespace headscope {

/// A file or folder that can be opened.
struct ListedFile {
  std::string name;
  std::string what;  ///< “scene”, “figure”, “model”
};

/// The contents of a folder.
struct FolderListing {
  std::string folder;              ///< as requested
  std::string shown, parent;       ///< the folder and its parent, written for the user
  std::vector<std::string> names;  ///< the folders in it
  std::vector<ListedFile> files;
  bool is_model = false;  ///< whether the folder itself can be opened
  std::string problem;    ///< why the folder cannot be listed; empty if it can
  bool is_there = true;   ///< false if there is no such folder
};

}  // namespace headscope
