#include "core/system/owned_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view running_begin = "running-";
constexpr int max_running = 1000;

/// Opens and locks the folder. Negative if it is locked by another process or no longer exists.
int locked(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return descriptor;
  struct stat opened {};
  struct stat named {};
  // On a file system without locks, folders in use cannot be told from abandoned ones.
  const bool is_locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  const bool is_ours = is_locked && ::fstat(descriptor, &opened) == 0 &&
                       ::stat(folder.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
                       opened.st_uid == ::geteuid();
  if (is_ours) return descriptor;
  ::close(descriptor);
  return -1;
}

tl::unexpected<Error> cannot_make(const fs::path& parent, int error) {
  return failure("cannot create a folder in '" + parent.string() +
                 "': " + std::generic_category().message(error));
}

}  // namespace

Result<OwnedFolder> OwnedFolder::make(const fs::path& parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return cannot_make(parent, error.value());
  const std::string stem = std::string(running_begin) + std::to_string(::getpid()) + "-";
  for (int i = 0; i < max_running; ++i) {
    const fs::path folder = parent / (stem + std::to_string(i));
    if (::mkdir(folder.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return cannot_make(parent, errno);
    }
    const int descriptor = locked(folder);
    if (descriptor >= 0) return OwnedFolder(folder, descriptor);
  }
  return cannot_make(parent, EEXIST);
}

Result<OwnedFolder> OwnedFolder::take_over(const fs::path& folder) {
  const int descriptor = locked(folder);
  if (descriptor >= 0) return OwnedFolder(folder, descriptor);
  return failure("the folder '" + folder.string() + "' is in use or no longer exists");
}

OwnedFolder::OwnedFolder(OwnedFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OwnedFolder& OwnedFolder::operator=(OwnedFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OwnedFolder::~OwnedFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OwnedFolder::remove() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FolderLock::FolderLock(const fs::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  constexpr std::chrono::milliseconds between_tries(20);
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 &&
         (errno == EWOULDBLOCK || errno == EINTR)) {
    if (std::chrono::steady_clock::now() >= last) {
      complaint_ = "another program has locked the folder '" + folder.string() + "': end that program";
      return;
    }
    std::this_thread::sleep_for(between_tries);
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::vector<fs::path> abandoned_folders(const fs::path& parent) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(running_begin)) continue;
    const int descriptor = locked(entry->path());
    if (descriptor < 0) continue;
    ::close(descriptor);
    std::error_code ignored;
    found.emplace_back(fs::last_write_time(entry->path(), ignored), entry->path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> folders;
  for (auto& [time, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

}  // namespace headscope
