#pragma once

#include <filesystem>
#include <set>

#include "core/result.h"

namespace headscope {

/// A folder being written: its files are written separately and put in place together. Until then, and after
/// any failure, a folder that already has the name stays as it was; one that is replaced keeps the files that
/// have other names, its mode, and the links to it.
///
/// A process that is killed at any moment leaves the old files or the new ones, never some of both: the
/// folders exchange their names at once. (Whoever has the old one as the current folder, a shell say, is then
/// in a folder that is gone.) Only where that cannot be (the folder is the current one, it holds folders, it
/// is a mount point, one may not write beside it, or the file system does not exchange names) the files are
/// moved one by one; a failure still puts all of them back, but a kill can leave some of both.
class AtomicFolder {
 public:
  /// Errors: a folder that cannot be written, a name that a file has.
  static Result<AtomicFolder> create(const std::filesystem::path& folder);
  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&&) = delete;
  /// Removes what was not committed.
  ~AtomicFolder();

  /// Where to write the files of the folder, which must not hold folders.
  const std::filesystem::path& apart() const { return apart_; }
  /// An error in writing one of them, which names it where it is to be.
  tl::unexpected<Error> failed(Error error) const;
  /// Flushes the files to the disk and puts them in place. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFolder() = default;
  Result<void> replace();
  bool exchange(const std::set<std::filesystem::path>& own, const std::set<std::filesystem::path>& kept);

  std::filesystem::path folder_;  ///< absolute; where it exists, symbolic links are resolved
  std::filesystem::path apart_;   ///< empty once moved
  int descriptor_ = -1;           ///< of the folder apart, and its lock
};

}  // namespace headscope
