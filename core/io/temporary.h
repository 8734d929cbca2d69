#pragma once

#include <filesystem>

namespace headscope {

/// A file or folder in the making. It is locked (flock) for as long as its descriptor is open, so that what a
/// killed process left behind can be told from what another is writing.
struct Temporary {
  std::filesystem::path path;
  int descriptor = -1;  ///< negative: could not be made
  int error = 0;        ///< errno of the failure
};

/// Makes and opens one in `folder` under a name that nothing else has. The caller closes the descriptor.
Temporary make_temporary_file(const std::filesystem::path& folder);
Temporary make_temporary_folder(const std::filesystem::path& folder);

/// Whether a file or folder has the name of a temporary.
bool is_temporary(const std::filesystem::path& path);

/// Renames a file to a name that nothing has, which no other process can take in between. False, and errno
/// says why: EEXIST where something has it.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

/// Whether a folder has no entries but temporaries.
bool is_empty_folder(const std::filesystem::path& folder);

/// Removes the temporaries of this user in `folder` that no process is writing any more. A folder among them
/// that holds folders, which nobody of ours puts there, stays.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

}  // namespace headscope
