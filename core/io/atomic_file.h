#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// A file being written: its bytes go to a temporary file in the same folder, which takes the name only when
/// all of them are on the disk. Until then, and after any failure, a file that already has the name stays as
/// it was; the temporary file never outlives this object, and one that a killed process left in the folder is
/// removed. A name that is a device or a pipe is written directly, and a symbolic link keeps pointing where
/// it pointed, whether or not something is there.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  /// Appends bytes. An error names the path, the reason and what to do.
  Result<void> write(std::string_view bytes);
  /// Forces the bytes to the disk and gives the file its name. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFile() = default;
  void discard();

  std::filesystem::path asked_;      ///< as given, for messages
  std::filesystem::path target_;     ///< symbolic links resolved
  std::filesystem::path temporary_;  ///< empty once renamed, or where the target is written directly
  int descriptor_ = -1;
};

/// Writes a whole file as AtomicFile does.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace headscope
