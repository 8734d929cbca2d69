#pragma once

#include <filesystem>
#include <string>

#include "app/parts/folder_listing.h"

namespace headscope {

/// A folder as it was typed: none is the current one, and ~ the home folder, as a shell has it.
std::filesystem::path folder_named(const std::string& typed);

/// A folder as a person reads it: ~ for the home folder.
std::string shown_folder(const std::filesystem::path& folder);

/// The person's folder of pictures, as the desktop's user-dirs.dirs names it, with ~; where there is none,
/// the folder that the program was started in.
std::string pictures_folder();

/// The folders within one, and what of it can be opened, by their names and what lies in them; what is hidden
/// is left out. In the order of their names. The folder of a model is what can be opened.
FolderListing listing_of(const std::string& folder);

}  // namespace headscope
