#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace headscope {

/// A folder that belongs to this process as long as the object lives. It is locked, which distinguishes
/// folders that killed processes left behind from those that are still in use.
class OwnedFolder {
 public:
  /// Creates a folder in `parent`, which is itself created if it is missing. Errors: the folder cannot be
  /// created.
  static Result<OwnedFolder> make(const std::filesystem::path& parent);
  /// Takes over a folder without an owner. Fails if it has an owner or no longer exists.
  static Result<OwnedFolder> take_over(const std::filesystem::path& folder);
  OwnedFolder(OwnedFolder&& other) noexcept;
  OwnedFolder& operator=(OwnedFolder&& other) noexcept;
  /// Releases the folder and leaves its contents as they are.
  ~OwnedFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Removes the folder with all its contents.
  void remove();

 private:
  OwnedFolder(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// The folders in `parent` that OwnedFolder made and that no longer have an owner, oldest first.
std::vector<std::filesystem::path> abandoned_folders(const std::filesystem::path& parent);

/// Keeps other FolderLocks off a folder while the object lives, for example to read a file in it and write it
/// back. The constructor waits about a second for the folder, because any program may hold its lock. On a
/// file system without locks, it has no effect.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Why nothing in the folder may be written, if another program kept its lock. Empty otherwise.
  const std::string& complaint() const { return complaint_; }

 private:
  int descriptor_;
  std::string complaint_;
};

}  // namespace headscope
