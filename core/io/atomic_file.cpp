#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr int max_temporary_names = 1000;

std::string advice(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "create the folder first, or choose another path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space, or choose another disk";
    case EISDIR:
      return "name a file inside this folder";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "choose another path";
  }
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

tl::unexpected<Error> cannot_write(const fs::path& path, int error) {
  return failure("cannot write '" + path.string() + "': " + reason(error) + "; " + advice(error));
}

tl::unexpected<Error> cannot_read(const fs::path& path, const std::string& why) {
  return failure("cannot read '" + path.string() + "': " + why);
}

/// Every byte, through short writes and interruptions; 0 or the error number.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

 private:
  int descriptor_;
};

}  // namespace

Result<AtomicFile> AtomicFile::create(const fs::path& path) {
  AtomicFile file;
  file.asked_ = path;
  if (path.filename().empty()) return cannot_write(path, path.empty() ? ENOENT : EISDIR);

  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return cannot_write(path, errno);
    return file;
  }
  std::error_code unresolved;
  file.target_ = exists ? fs::canonical(path, unresolved) : path;
  if (unresolved) return cannot_write(path, unresolved.value());

  const std::string stem = ".headscope-" + std::to_string(::getpid()) + "-";
  for (int i = 0; file.descriptor_ < 0 && i < max_temporary_names; ++i) {
    const fs::path temporary = file.target_.parent_path() / (stem + std::to_string(i) + ".tmp");
    file.descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.descriptor_ >= 0) file.temporary_ = temporary;
    if (file.descriptor_ < 0 && errno != EEXIST) break;
  }
  if (file.descriptor_ < 0) return cannot_write(path, errno);
  if (exists && ::fchmod(file.descriptor_, status.st_mode & 07777U) != 0) return cannot_write(path, errno);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : asked_(std::move(other.asked_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    asked_ = std::move(other.asked_);
    target_ = std::move(other.target_);
    temporary_ = std::exchange(other.temporary_, {});
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (const int error = write_all(descriptor_, bytes); error != 0) return cannot_write(asked_, error);
  return {};
}

Result<void> AtomicFile::commit() {
  const bool is_temporary = !temporary_.empty();
  if (is_temporary && ::fsync(descriptor_) != 0) return cannot_write(asked_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot_write(asked_, errno);
  if (is_temporary) {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot_write(asked_, errno);
    temporary_.clear();
  }
  return {};
}

Result<void> write_atomically(const fs::path& path, std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->commit();
}

Result<std::string> read_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_read(path, reason(errno));
  const OpenFile closer(descriptor);
  try {
    std::string content;
    std::string block(std::size_t{1} << 16U, '\0');
    while (true) {
      const ssize_t got = ::read(descriptor, block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return cannot_read(path, reason(errno));
      if (got == 0) return content;
      content.append(block, 0, static_cast<std::size_t>(got));
      if (content.size() > max_read_bytes)
        return cannot_read(path, "it is larger than " + std::to_string(max_read_bytes >> 20U) + " MiB");
    }
  } catch (const std::bad_alloc&) {
    return cannot_read(path, "not enough memory; close other programs, or use a smaller file");
  }
}

}  // namespace headscope
