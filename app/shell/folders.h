#pragma once

#include <filesystem>
#include <string>

#include "app/parts/export_form.h"

namespace headscope {

/// A folder as it was typed: none is the current one, and ~ the home folder, as a shell has it.
std::filesystem::path folder_named(const std::string& typed);

/// A folder as a person reads it: ~ for the home folder.
std::string shown_folder(const std::filesystem::path& folder);

/// The person's folder of pictures, as the desktop's user-dirs.dirs names it, with ~; empty where there is
/// none.
std::string pictures_folder();

/// The folders within one, those that are hidden left out, in the order of their names.
FolderListing listing_of(const std::string& folder);

}  // namespace headscope
