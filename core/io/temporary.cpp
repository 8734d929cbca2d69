#include "core/io/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begin = ".headscope-";
constexpr std::string_view name_end = ".tmp";
constexpr int max_names = 1000;

/// Somebody who removes abandoned temporaries may hold the lock, or have removed the name, before we lock it.
/// A file system without locks is no obstacle.
bool is_ours(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/// `make` opens what it made under a name, or gives −1 and sets errno.
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

/// Nothing is left of a folder of files; one that holds folders stays as it is.
void remove_folder_of_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->symlink_status(error).type() == fs::file_type::directory) return;
    files.push_back(entry->path());
  }
  for (const fs::path& file : files) ::unlink(file.c_str());
  ::rmdir(folder.c_str());
}

void remove_if_abandoned(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return;
  struct stat status {};
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      remove_folder_of_files(path);
    } else if (S_ISREG(status.st_mode)) {
      ::unlink(path.c_str());
    }
  }
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
    return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(name_begin) && name.ends_with(name_end);
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

}  // namespace headscope
