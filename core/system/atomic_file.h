#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// A file being written. Its bytes go to a temporary file in the same folder, which is renamed only when all
/// of them are on the disk. Until then, and after any failure, an existing file of that name stays as it was.
/// The temporary file is gone with this object, but a killed process leaves it behind. A device or a pipe is
/// written directly. A symbolic link keeps its target, whether or not that exists.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  /// Appends bytes. The error message names the path, the reason and what to do.
  Result<void> write(std::string_view bytes);
  /// Forces the bytes to the disk and renames the file. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFile() = default;
  void discard();

  std::filesystem::path asked_;   ///< the path as the caller passed it, for messages
  std::filesystem::path target_;  ///< the path with symbolic links resolved; empty if it is written directly
  std::filesystem::path temporary_;  ///< empty once it has been renamed
  int descriptor_ = -1;
};

/// Writes a whole file with AtomicFile.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Lets `write` write a file whose name the program chose: first in a temporary folder, from where the file
/// is moved to `path`. If anything has that name by then, even a link to nothing, it stays and this fails.
Result<void> write_new(const std::filesystem::path& path,
                       const std::function<Result<void>(const std::filesystem::path&)>& write);

/// A folder being written. Its files are written to a temporary folder, which becomes the folder if that is
/// new. Into a folder that exists, they are renamed one after the other: each is whole at any moment, a
/// failure puts back those that were replaced, but a kill between two of them leaves both old and new ones.
/// The folder keeps its mode, the files that have other names, and the links that lead to it.
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
  tl::unexpected<Error> failed(const Error& error) const;
  /// Puts the files in place. They must be on the disk. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFolder() = default;

  std::filesystem::path folder_;  ///< absolute; symbolic links are resolved if the folder exists
  std::filesystem::path apart_;   ///< empty once the folder has been moved
};

/// Whether a path has the name of a file or folder that is being written, or was by a process that was
/// killed.
bool is_temporary(const std::filesystem::path& path);
/// Whether a folder contains nothing but such files and folders.
bool is_empty_folder(const std::filesystem::path& folder);
/// Removes a folder so that nobody finds half of it, even if the process is killed. If that fails, it stays.
void remove_folder(const std::filesystem::path& folder);

/// Renames a file atomically if the new name is unused. Otherwise returns false and sets errno, which is
/// EEXIST if the name is taken.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headscope
