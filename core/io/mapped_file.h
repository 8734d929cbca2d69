#pragma once

#include <cstddef>
#include <cstdint>
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
  /// Returns whether the file is as it was when it was opened, in size and time, so that none of the bytes
  /// that were read were made up.
  bool is_whole() const;
  /// Asks the system to read ahead, as all of it will be looked at.
  void will_need() const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  int descriptor_ = -1;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t written_ = 0;  ///< when the file had been written last as it was opened
};

}  // namespace headscope
