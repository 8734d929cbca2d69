#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace headscope {

/// A regular file, mapped read-only for the lifetime of the object and paged in on access. If another program
/// truncates the file, pages beyond its end raise SIGBUS; install_signal_handlers() installs a handler that
/// maps zeros instead, which is_unchanged() detects.
class MappedFile {
 public:
  /// Errors: the file cannot be opened or is not a regular file.
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  /// Whether the file still has the size and modification time that it was opened with. If so, all bytes read
  /// are genuine.
  bool is_unchanged() const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  int descriptor_ = -1;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t modified_ = 0;  ///< the modification time in nanoseconds when the file was opened
};

/// Maps a file and parses it with `parse(mapped file)`, which returns a Result whose errors name the file.
/// Fails if the file changed while it was read, whatever `parse` returned.
template <typename Parse>
auto read_mapped(const std::filesystem::path& path, const Parse& parse)
    -> decltype(parse(std::declval<const MappedFile&>())) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return tl::unexpected(file.error());
  auto read = parse(*file);
  if (!file->is_unchanged())
    return failure("cannot read '" + path.string() +
                   "': it changed while it was read: wait until it is complete, and try again");
  return read;
}

}  // namespace headscope
