#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace headscope {

/// A folder owned by this process for the lifetime of the object. A lock distinguishes folders in use from
/// those left behind by killed processes.
class OwnedFolder {
 public:
  /// Creates a folder in `parent`, creating `parent` if it is missing.
  static Result<OwnedFolder> make(const std::filesystem::path& parent);
  /// Adopts an abandoned folder. Fails if it has an owner or no longer exists.
  static Result<OwnedFolder> take_over(const std::filesystem::path& folder);
  OwnedFolder(OwnedFolder&& other) noexcept;
  OwnedFolder& operator=(OwnedFolder&& other) noexcept;
  /// Unlocks the folder but keeps its contents.
  ~OwnedFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Removes the folder and its contents.
  void remove();

 private:
  OwnedFolder(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// The abandoned folders in `parent` that OwnedFolder created, oldest first.
std::vector<std::filesystem::path> abandoned_folders(const std::filesystem::path& parent);

/// An exclusive lock on a folder for the lifetime of the object, e.g. to read, modify and write a file in it.
/// The constructor waits up to about a second for another holder. Has no effect on file systems without
/// locks.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// An error message if another program kept the lock, so nothing may be written. Empty otherwise.
  const std::string& complaint() const { return complaint_; }

 private:
  int descriptor_;
  std::string complaint_;
};

}  // namespace headscope
