#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace headscope {

/// A folder that belongs to this process as long as the object lives: it is locked, so that what a process
/// left behind when it was killed can be told from what another one still uses.
class OwnedFolder {
 public:
  /// Makes one in `parent`, which is created if it is missing. Errors: what cannot be written.
  static Result<OwnedFolder> make(const std::filesystem::path& parent);
  /// Takes one over that nobody owns. An error where somebody does, or where it is gone.
  static Result<OwnedFolder> take_over(const std::filesystem::path& folder);
  OwnedFolder(OwnedFolder&& other) noexcept;
  OwnedFolder& operator=(OwnedFolder&& other) noexcept;
  /// Lets go of it; what it holds stays.
  ~OwnedFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Removes it with all that it holds.
  void remove();

 private:
  OwnedFolder(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// The folders in `parent` that OwnedFolder made and that nobody owns any more, the oldest first.
std::vector<std::filesystem::path> abandoned_folders(const std::filesystem::path& parent);

/// A folder that this process alone may change while the object lives, as far as others ask for the same: to
/// read a file in it and write it again. Waits for the others. A file system without locks is no obstacle.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace headscope
