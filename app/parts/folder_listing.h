#pragma once

#include <string>
#include <vector>

namespace headscope {

/// What can be opened.
struct ListedFile {
  std::string name;
  std::string what;  ///< “scene”, “figure”, “model”
};

/// What is in a folder.
struct FolderListing {
  std::string folder;              ///< as it was asked for
  std::string shown, parent;       ///< it and the one that it is in, as a person reads them
  std::vector<std::string> names;  ///< of the folders within it
  std::vector<ListedFile> files;
  std::string problem;  ///< why they cannot be listed
};

}  // namespace headscope
