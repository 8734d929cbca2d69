#include "core/system/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

tl::unexpected<Error> cannot_map(const std::filesystem::path& path, const std::string& why) {
  return failure("cannot read '" + path.string() + "': " + why);
}

/// The modification time in nanoseconds.
std::int64_t written(const struct stat& status) {
  constexpr std::int64_t second = 1'000'000'000;
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * second + status.st_mtim.tv_nsec;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  MappedFile file;
  file.path_ = path;
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const auto system_reason = [] { return std::generic_category().message(errno); };
  if (file.descriptor_ < 0) return cannot_map(path, system_reason());
  struct stat status {};
  if (::fstat(file.descriptor_, &status) != 0) return cannot_map(path, system_reason());
  if (!S_ISREG(status.st_mode)) return cannot_map(path, "it is not a regular file");
  file.modified_ = written(status);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return file;
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
  if (memory == MAP_FAILED) return cannot_map(path, system_reason());  // NOLINT(performance-no-int-to-ptr)
  file.data_ = static_cast<const char*>(memory);
  file.size_ = size;
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      modified_(other.modified_) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);  // NOLINT(*-const-cast)
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool MappedFile::is_unchanged() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && static_cast<std::size_t>(status.st_size) == size_ &&
         written(status) == modified_;
}

}  // namespace headscope
