#pragma once

#include <filesystem>

namespace headscope {

/// A file or folder being written. It is locked (flock) for as long as its descriptor is open, so that what a
/// killed process left behind can be told from what another is writing.
struct Temporary {
  std::filesystem::path path;
  int descriptor = -1;  ///< negative: could not be made
  int error = 0;        ///< errno of the failure
};

/// Creates and opens one in `folder` under an unused name. The caller closes the descriptor.
Temporary make_temporary_file(const std::filesystem::path& folder);
Temporary make_temporary_folder(const std::filesystem::path& folder);

/// Whether a file or folder has the name of a temporary.
bool is_temporary(const std::filesystem::path& path);

/// Renames a file to an unused name, atomically. False with errno set otherwise: EEXIST if the name is taken.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

/// Whether a folder has no entries but temporaries.
bool is_empty_folder(const std::filesystem::path& folder);

/// Removes the temporaries of this user in `folder` that no process is writing any more. One that holds
/// folders, which this program never creates, is kept.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

}  // namespace headscope
