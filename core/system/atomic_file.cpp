#include "core/system/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

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

constexpr std::string_view name_begin = ".headscope-";
constexpr std::string_view name_end = ".tmp";

/// Calls `make` with unused names in a folder until it succeeds. `make` returns a negative number and sets
/// errno on failure. Returns its result, or −1 with errno set.
template <class Make>
int make_temporary(const fs::path& folder, fs::path& path, const Make& make) {
  constexpr int max_names = 1000;
  const std::string stem = std::string(name_begin) + std::to_string(::getpid()) + "-";
  int made = -1;
  for (int i = 0; i < max_names && made < 0; ++i) {
    path = folder / (stem + std::to_string(i) + std::string(name_end));
    made = make(path);
    if (made < 0 && errno != EEXIST) return made;
  }
  return made;
}

/// Flushes a folder's entries to disk. Best effort: the files are already renamed.
void sync_to_disk(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
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

/// Resolves a chain of symbolic links, even if its target does not exist. Fails with ELOOP on a cycle.
Result<fs::path> end_of_link(fs::path path) {
  constexpr int max_links = 40;
  for (int i = 0; i < max_links; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path next = fs::read_symlink(path, error);
    if (error) return cannot_write(path, error.value());
    path = path.parent_path() / next;
  }
  return cannot_write(path, ELOOP);
}

/// Makes a temporary folder beside a path. Returns 0, or −1 with errno set.
int make_folder_beside(const fs::path& path, fs::path& made) {
  return make_temporary(path.parent_path(), made,
                        [](const fs::path& name) { return ::mkdir(name.c_str(), 0777); });
}

/// An error that names the final path of a file.
tl::unexpected<Error> renamed(Error error, const fs::path& temporary, const fs::path& place) {
  const std::string name = temporary.string();
  if (const auto at = error.message.find(name); at != std::string::npos)
    error.message.replace(at, name.size(), place.string());
  return tl::unexpected(std::move(error));
}

}  // namespace

bool is_empty_folder(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!is_temporary(entry->path())) return false;
  return !error;
}

void remove_folder(const fs::path& folder) {
  std::error_code unknown;
  fs::path nameless;
  if (make_folder_beside(folder, nameless) != 0) return;
  fs::rename(folder, nameless, unknown);
  fs::remove_all(nameless, unknown);
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(name_begin) && name.ends_with(name_end);
}

bool rename_without_replacing(const fs::path& from, const fs::path& to) {
#if defined(RENAME_NOREPLACE)
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  // Where renameat2 is not supported, a hard link does not replace anything either.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  if (errno != EPERM && errno != EMLINK && errno != EOPNOTSUPP) return false;
  // Without hard links, a file that appears between these two calls is replaced.
  if (::access(to.c_str(), F_OK) == 0) errno = EEXIST;
  return errno != EEXIST && ::rename(from.c_str(), to.c_str()) == 0;
}

Result<AtomicFile> AtomicFile::create(const fs::path& path) {
  AtomicFile file;
  file.requested_ = path;
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
  file.descriptor_ = make_temporary(file.target_.parent_path(), file.temporary_, [](const fs::path& name) {
    return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  if (file.descriptor_ < 0) {
    const int error = errno;
    file.temporary_.clear();
    return cannot_write(path, error);
  }
  // Keep the owner of the old file if possible.
  if (exists && ::fchown(file.descriptor_, status.st_uid, status.st_gid) != 0) errno = 0;
  if (exists && ::fchmod(file.descriptor_, status.st_mode & 07777U) != 0) return cannot_write(path, errno);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : requested_(std::move(other.requested_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (const int error = write_all(descriptor_, bytes); error != 0) return cannot_write(requested_, error);
  return {};
}

Result<void> AtomicFile::commit() {
  if (!target_.empty()) {
    if (::fsync(descriptor_) != 0) return cannot_write(requested_, errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot_write(requested_, errno);
    temporary_.clear();
    sync_to_disk(target_.parent_path());
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot_write(requested_, errno);
  return {};
}

Result<void> write_atomically(const fs::path& path, std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->commit();
}

Result<void> write_new_file(const fs::path& path, const std::function<Result<void>(const fs::path&)>& write) {
  fs::path staging;
  if (make_folder_beside(path, staging) != 0) return cannot_write(path, errno);
  const fs::path file = staging / path.filename();
  Result<void> written = write(file);
  if (!written) {
    written = renamed(written.error(), file, path);
  } else if (!rename_without_replacing(file, path)) {
    written = cannot_write(path, errno);
  }
  std::error_code ignored;
  fs::remove_all(staging, ignored);
  if (written) sync_to_disk(path.parent_path());
  return written;
}

Result<AtomicFolder> AtomicFolder::create(const fs::path& folder) {
  AtomicFolder made;
  made.folder_ = (fs::absolute(folder) / "").lexically_normal().parent_path();  // without a trailing slash
  std::error_code error;
  const bool exists = fs::exists(made.folder_, error);
  if (exists) made.folder_ = fs::canonical(made.folder_, error);
  if (error) return cannot_write(folder, error.value());
  if (exists && !fs::is_directory(made.folder_, error)) return cannot_write(folder, ENOTDIR);
  // Inside an existing folder, files are on its disk and inherit its permissions.
  if (make_folder_beside(exists ? made.folder_ / name_begin : made.folder_, made.staging_) != 0) {
    const int refused = errno;
    made.staging_.clear();
    return cannot_write(folder, refused);
  }
  return made;
}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : folder_(std::move(other.folder_)), staging_(std::exchange(other.staging_, {})) {}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
}

tl::unexpected<Error> AtomicFolder::failed(const Error& error) const {
  return renamed(error, staging_, folder_);
}

Result<void> AtomicFolder::commit() try {
  if (staging_.parent_path() == folder_.parent_path()) {
    if (::rename(staging_.c_str(), folder_.c_str()) != 0) return cannot_write(folder_, errno);
    staging_.clear();
    sync_to_disk(folder_.parent_path());
    return {};
  }
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(staging_)) {
    names.push_back(entry.path().filename());
    const fs::path target = folder_ / names.back();
    if (fs::is_directory(fs::symlink_status(target))) return cannot_write(target, EISDIR);
  }
  // Link the old files under a second name, so that none is missing at any time.
  const fs::path old = staging_ / name_begin;
  fs::create_directory(old);
  for (auto name = names.begin(); name != names.end(); ++name) {
    const fs::path target = folder_ / *name;
    static_cast<void>(::link(target.c_str(), (old / *name).c_str()));
    if (::rename((staging_ / *name).c_str(), target.c_str()) == 0) continue;
    const int error = errno;
    for (auto done = names.begin(); done != name; ++done) {
      if (::rename((old / *done).c_str(), (folder_ / *done).c_str()) != 0)
        ::rename((folder_ / *done).c_str(), (staging_ / *done).c_str());
    }
    return cannot_write(target, error);
  }
  sync_to_disk(folder_);
  return {};
} catch (const fs::filesystem_error& error) {
  return cannot_write(folder_, error.code().value());
}

}  // namespace headscope
