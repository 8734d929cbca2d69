#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// A file being written. Its bytes go to a temporary file in the same folder, which is renamed only when all
/// of them are on the disk. Until then, and after any failure, an existing file of that name stays as it was.
/// The temporary file never outlives this object, and creating a file removes temporary files that killed
/// processes left in the folder. A device or a pipe is written directly. A symbolic link keeps its target,
/// whether or not that exists.
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

  std::filesystem::path asked_;      ///< the path as the caller passed it, for messages
  std::filesystem::path target_;     ///< the path with symbolic links resolved
  std::filesystem::path temporary_;  ///< empty once renamed, or if the target is written directly
  int descriptor_ = -1;
};

/// Writes a whole file with AtomicFile.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Lets `write` write a file whose name the program chose: first in a temporary folder, from where the file
/// is moved to `path`. If anything has that name by then, even a link to nothing, it stays and this fails.
Result<void> write_new(const std::filesystem::path& path,
                       const std::function<Result<void>(const std::filesystem::path&)>& write);

}  // namespace headscope
