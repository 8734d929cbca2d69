#include "core/io/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begin = ".headscope-";
constexpr std::string_view name_end = ".tmp";
constexpr int max_names = 1000;

/// Whether the lock on a new temporary was obtained before anyone removed it. A process that removes
/// abandoned temporaries may hold the lock, or may already have removed the name. A file system without locks
/// is no obstacle.
bool is_ours(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/// `make` creates and opens a temporary under a name, or returns −1 and sets errno.
template <class Make>
Temporary make_temporary(const fs::path& folder, const Make& make) {
  const std::string stem = std::string(name_begin) + std::to_string(::getpid()) + "-";
  for (int i = 0; i < max_names; ++i) {
    Temporary made;
    made.path = folder / (stem + std::to_string(i) + std::string(name_end));
    made.descriptor = make(made.path);
    if (made.descriptor >= 0) {
      if (is_ours(made.descriptor)) return made;
      ::close(made.descriptor);
      continue;
    }
    if (errno == EEXIST) continue;
    made.error = errno;
    return made;
  }
  return {{}, -1, EEXIST};
}

class OpenFolder {
 public:
  /// Takes ownership of the descriptor.
  explicit OpenFolder(int descriptor) : stream_(::fdopendir(descriptor)) {
    if (stream_ == nullptr) ::close(descriptor);
  }
  ~OpenFolder() {
    if (stream_ != nullptr) ::closedir(stream_);
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

  /// The names of the files in the folder. No value if it contains a folder.
  std::optional<std::vector<std::string>> files() const {
    std::vector<std::string> names;
    while (const dirent* entry = stream_ == nullptr ? nullptr : ::readdir(stream_)) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status {};
      if (::fstatat(::dirfd(stream_), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISDIR(status.st_mode)) return std::nullopt;
      names.push_back(name);
    }
    return names;
  }

 private:
  DIR* stream_;
};

/// Whether the path still names the file that was opened. Its maker renames it before releasing the lock.
bool still_names(const fs::path& path, const struct stat& opened) {
  struct stat now {};
  return ::fstatat(AT_FDCWD, path.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == opened.st_dev &&
         now.st_ino == opened.st_ino;
}

/// Removes a folder that contains only files; one that contains folders stays as it is. The files are removed
/// from the folder that was opened, whatever its path refers to by now.
void remove_folder_of_files(const fs::path& folder, int descriptor) {
  const auto files = OpenFolder(::dup(descriptor)).files();
  if (!files) return;
  for (const std::string& name : *files) ::unlinkat(descriptor, name.c_str(), 0);
  ::rmdir(folder.c_str());
}

void remove_if_abandoned(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return;
  struct stat status {};
  const bool is_abandoned = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
                            ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() &&
                            still_names(path, status);
  if (is_abandoned && S_ISDIR(status.st_mode)) remove_folder_of_files(path, descriptor);
  if (is_abandoned && S_ISREG(status.st_mode)) ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

Temporary make_temporary_file(const fs::path& folder) {
  return make_temporary(folder, [](const fs::path& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
}

Temporary make_temporary_folder(const fs::path& folder) {
  return make_temporary(folder, [](const fs::path& path) {
    if (::mkdir(path.c_str(), 0777) != 0) return -1;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    const int error = errno;
    if (descriptor < 0) ::rmdir(path.c_str());
    // If the folder was taken for abandoned before it could be locked, the next name is tried.
    errno = error == ENOENT ? EEXIST : error;
    return descriptor;
  });
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(name_begin) && name.ends_with(name_end);
}

bool rename_to_free_name(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // On a file system that lacks this operation, a hard link does not replace anything either.
  return ::link(from.c_str(), to.c_str()) == 0 && ::unlink(from.c_str()) == 0;
}

void force_to_disk(const fs::path& folder) {
  const fs::path here = folder.empty() ? fs::path(".") : folder;
  const int descriptor = ::open(here.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

bool is_empty_folder(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_temporary(entry->path())) return false;
  }
  return !error;
}

void remove_abandoned_temporaries(const fs::path& folder) {
  std::error_code error;
  const fs::path here = folder.empty() ? fs::path(".") : folder;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(here, error), end; !error && entry != end; entry.increment(error)) {
    if (is_temporary(entry->path())) found.push_back(entry->path());
  }
  for (const fs::path& path : found) remove_if_abandoned(path);
}

void remove_folder_at_once(const fs::path& folder) {
  const Temporary nameless = make_temporary_folder(folder.parent_path());
  if (nameless.descriptor < 0) return;
  std::error_code unknown;
  fs::rename(folder, nameless.path, unknown);
  ::close(nameless.descriptor);
  remove_abandoned_temporaries(folder.parent_path());
}

}  // namespace headscope
