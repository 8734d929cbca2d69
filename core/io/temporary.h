#pragma once

#include <filesystem>

namespace headscope {

/// A file or folder being written. It is locked (flock) as long as its descriptor is open, which
/// distinguishes what a killed process left behind from what another process is still writing.
struct Temporary {
  std::filesystem::path path;
  int descriptor = -1;  ///< negative if it could not be made
  int error = 0;        ///< errno of the failure, if there was one
};

/// Create a file or a folder in `folder` under an unused name and open it. The caller closes the descriptor.
Temporary make_temporary_file(const std::filesystem::path& folder);
Temporary make_temporary_folder(const std::filesystem::path& folder);

/// Whether the path has the name of a temporary file or folder.
bool is_temporary(const std::filesystem::path& path);

/// Renames a file atomically if the new name is unused. Otherwise returns false and sets errno, which is
/// EEXIST if the name is taken.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

/// Forces the names of a folder's files to the disk. A failure is ignored: the files have their names
/// already.
void force_to_disk(const std::filesystem::path& folder);

/// Whether a folder contains nothing but temporary files and folders.
bool is_empty_folder(const std::filesystem::path& folder);

/// Removes a folder of files in one step: it gets the name of a temporary folder first, so that nobody finds
/// half of it. If that fails, the folder stays as it was.
void remove_folder_at_once(const std::filesystem::path& folder);

/// Removes the temporary files and folders of this user in `folder` that no process is writing any more. A
/// temporary folder that contains folders is kept, because this program never creates one.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

}  // namespace headscope
