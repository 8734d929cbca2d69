#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// A regular file, read-only in memory as long as the object lives: its pages are read when they are looked
/// at. Where another program shortens the file meanwhile, pages beyond its end raise SIGBUS; the program
/// installs a handler that puts zeros in their place, and is_whole() tells afterwards.
class MappedFile {
 public:
  /// Errors: files that cannot be opened, or are not regular.
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  /// Whether the file still has all the bytes that it had, so that none of those that were read were made up.
  bool is_whole() const;
  /// Asks the system to read ahead, as all of it will be looked at.
  void will_need() const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  int descriptor_ = -1;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace headscope
