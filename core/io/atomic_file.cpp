#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/io/temporary.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::string advice(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "create the folder first, or choose another path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you can write to";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space, or choose another disk";
    case EEXIST:
      return "another program has written it meanwhile: repeat this, or choose another name";
    case EISDIR:
      return "choose a file inside this folder";
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

/// Writes all bytes, despite short writes and interruptions. Returns 0 or the error number.
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

/// Returns the path to which a chain of symbolic links finally leads, even if nothing exists there. The error
/// is that of ELOOP if the chain never ends.
Result<fs::path> end_of_link(fs::path path) {
  constexpr int most_links = 40;
  for (int i = 0; i < most_links; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path next = fs::read_symlink(path, error);
    if (error) return cannot_write(path, error.value());
    path = path.parent_path() / next;
  }
  return cannot_write(path, ELOOP);
}

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
  if (exists) {
    file.target_ = fs::canonical(path, unresolved);
    if (unresolved) return cannot_write(path, unresolved.value());
  } else {
    auto end = end_of_link(path);
    if (!end) return tl::unexpected(end.error());
    file.target_ = std::move(*end);
  }
  const fs::path folder = file.target_.parent_path();
  // A folder being written contains no abandoned temporaries.
  if (!is_temporary(folder)) remove_abandoned_temporaries(folder);
  Temporary temporary = make_temporary_file(folder);
  if (temporary.descriptor < 0) return cannot_write(path, temporary.error);
  file.temporary_ = std::move(temporary.path);
  file.descriptor_ = temporary.descriptor;
  // The owner of the old file is kept if possible. If not, that is no reason to refuse.
  if (exists && ::fchown(file.descriptor_, status.st_uid, status.st_gid) != 0) errno = 0;
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
  if (!temporary_.empty()) {
    if (::fsync(descriptor_) != 0) return cannot_write(asked_, errno);
    // The file is renamed while it is still locked, which keeps other processes from taking it for abandoned.
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot_write(asked_, errno);
    temporary_.clear();
    force_to_disk(target_.parent_path());
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot_write(asked_, errno);
  return {};
}

Result<void> write_atomically(const fs::path& path, std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->commit();
}

Result<void> write_new(const fs::path& path, const std::function<Result<void>(const fs::path&)>& write) {
  const fs::path folder = path.parent_path();
  remove_abandoned_temporaries(folder);
  const Temporary apart = make_temporary_folder(folder);
  if (apart.descriptor < 0) return cannot_write(path, apart.error);
  const fs::path file = apart.path / path.filename();
  Result<void> written = write(file);
  if (!written) {
    std::string& message = written.error().message;
    if (const auto at = message.find(file.string()); at != std::string::npos)
      message.replace(at, file.string().size(), path.string());
  } else if (!rename_to_free_name(file, path)) {
    written = cannot_write(path, errno);
  }
  std::error_code ignored;
  fs::remove_all(apart.path, ignored);
  ::close(apart.descriptor);
  if (written) force_to_disk(folder);
  return written;
}

}  // namespace headscope
