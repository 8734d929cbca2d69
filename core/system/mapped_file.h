#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace headscope {

/// A regular file that is mapped read-only into memory as long as the object lives. Its pages are read when
/// they are first accessed. If another program shortens the file meanwhile, pages beyond its end raise
/// SIGBUS; the program installs a handler that replaces them by zeros, and is_whole() reveals it afterwards.
class MappedFile {
 public:
  /// Errors: the file cannot be opened or is not a regular file.
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  /// Whether the file still has the size and the modification time that it had when it was opened. If so,
  /// none of the bytes that were read were made up.
  bool is_whole() const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  int descriptor_ = -1;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t written_ = 0;  ///< the modification time in nanoseconds when the file was opened
};

/// Maps a file and reads it with `parse`, which gets the mapped file and returns a Result whose errors name
/// the file. Errors: also if the file was changed while it was read, whatever came of that.
template <typename Parse>
auto read_mapped(const std::filesystem::path& path, const Parse& parse)
    -> decltype(parse(std::declval<const MappedFile&>())) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return tl::unexpected(file.error());
  auto read = parse(*file);
  if (!file->is_whole())
    return failure("cannot read '" + path.string() +
                   "': it changed while it was read: wait until it is complete, and try again");
  return read;
}

}  // namespace headscope
