#pragma once

#include <filesystem>
#include <set>

#include "core/result.h"

namespace headscope {

/// A folder being written. Its files are written to a separate folder and put in place together. Until then,
/// and after any failure, an existing folder of that name stays as it was. If it is replaced, it keeps its
/// mode, the files that have other names, and the links that lead to it.
///
/// If the process is killed at any moment, either all old files or all new files are there, never a mixture,
/// because the two folders exchange their names in a single step. (A program whose current folder is the old
/// one, such as a shell, is then in a folder that no longer exists.) The files are moved one by one only if
/// an exchange is impossible: the folder is the current one, contains folders or is a mount point, its parent
/// is not writable, or the file system cannot exchange names. Even then, a failure puts all files back, but a
/// kill can leave a mixture.
class AtomicFolder {
 public:
  /// Errors: the folder cannot be written, or a file has this name.
  static Result<AtomicFolder> create(const std::filesystem::path& folder);
  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&&) = delete;
  /// Removes everything that was not committed.
  ~AtomicFolder();

  /// The folder to write the files to. They must not include folders.
  const std::filesystem::path& apart() const { return apart_; }
  /// Converts an error in writing one of these files into one that names the file's final place.
  tl::unexpected<Error> failed(Error error) const;
  /// Flushes the files to the disk and puts them in place. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFolder() = default;
  Result<void> replace();
  bool exchange(const std::set<std::filesystem::path>& own, const std::set<std::filesystem::path>& kept);

  std::filesystem::path folder_;  ///< absolute; symbolic links are resolved if the folder exists
  std::filesystem::path apart_;   ///< empty once the folder has been moved
  int descriptor_ = -1;           ///< the open folder `apart_`, which is locked through it
};

}  // namespace headscope
