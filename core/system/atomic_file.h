#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// Writes a file atomically: to a temporary file in the same folder, which commit() flushes to disk and
/// renames. Until then, and after any failure, an existing file of that name is unchanged. The destructor
/// removes the temporary file; a killed process leaves it behind. Devices and pipes are written directly.
/// Symbolic links are followed, even if the target does not exist.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  ~AtomicFile();

  /// Appends bytes. The error message names the path, the reason and what to do.
  Result<void> write(std::string_view bytes);
  /// Flushes to disk and renames the file. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFile() = default;

  std::filesystem::path requested_;  ///< the path passed by the caller, for messages
  std::filesystem::path target_;  ///< the path with symbolic links resolved; empty if it is written directly
  std::filesystem::path temporary_;  ///< empty once it has been renamed
  int descriptor_ = -1;
};

/// Writes an entire file with AtomicFile.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Writes a file whose name the program chose: calls `write` with a path in a temporary folder, then moves
/// the file to `path`. Never replaces anything: fails if the name is taken by then, even by a dangling link.
Result<void> write_new_file(const std::filesystem::path& path,
                            const std::function<Result<void>(const std::filesystem::path&)>& write);

/// Writes a folder: files go to a temporary folder, which commit() renames if the target is new. If the
/// target exists, commit() renames the files into it one by one: each file is complete at any time and a
/// failure is rolled back, but a kill in between leaves a mix of old and new files. The target keeps its
/// mode, its other files and the links to it.
class AtomicFolder {
 public:
  /// Errors: the folder cannot be written, or a file has this name.
  static Result<AtomicFolder> create(const std::filesystem::path& folder);
  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&&) = delete;
  /// Removes whatever was not committed.
  ~AtomicFolder();

  /// The temporary folder to write files to. It must not contain folders.
  const std::filesystem::path& staging() const { return staging_; }
  /// Returns the error with the final path of the file in place of its temporary one.
  tl::unexpected<Error> failed(const Error& error) const;
  /// Moves the files into place. They must already be on disk. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFolder() = default;

  std::filesystem::path folder_;   ///< absolute; symbolic links are resolved if the folder exists
  std::filesystem::path staging_;  ///< empty once the folder has been moved
};

/// Writes a folder through `write(staging)`, which throws an Error if it fails.
template <class Write>
Result<void> write_folder(const std::filesystem::path& folder, Write&& write) {
  auto files = AtomicFolder::create(folder);
  if (!files) return tl::unexpected(files.error());
  const auto written = result_of([&] { write(files->staging()); });
  return written ? files->commit() : Result<void>(files->failed(written.error()));
}

/// Whether a path is named like a temporary file or folder, in use or left behind by a killed process.
bool is_temporary(const std::filesystem::path& path);
/// Whether a folder is empty apart from such temporaries.
bool is_empty_folder(const std::filesystem::path& folder);
/// Removes a folder atomically: others see all or none of it, even if the process is killed. On failure it is
/// kept.
void remove_folder(const std::filesystem::path& folder);

/// Renames atomically without replacing anything. On failure returns false and sets errno, to EEXIST if the
/// name is taken.
bool rename_without_replacing(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headscope
