#include "core/io/atomic_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/temporary.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot_write(const fs::path& path, const std::error_code& error) {
  return failure("cannot write '" + path.string() + "': " + error.message() + "; choose another folder");
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

/// A group of renamings that are undone together when this object is destroyed, unless keep() was called.
class Renamings {
 public:
  explicit Renamings(std::size_t most) { done_.reserve(most); }
  Renamings(const Renamings&) = delete;
  Renamings& operator=(const Renamings&) = delete;
  ~Renamings() {
    std::error_code ignored;
    for (auto renaming = done_.rbegin(); renaming != done_.rend(); ++renaming) {
      fs::rename(renaming->second, renaming->first, ignored);
    }
  }

  std::error_code rename(fs::path from, fs::path to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) done_.emplace_back(std::move(from), std::move(to));
    return error;
  }
  void keep() { done_.clear(); }

 private:
  std::vector<std::pair<fs::path, fs::path>> done_;
};

std::set<fs::path> names_in(const fs::path& folder) {
  std::set<fs::path> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// Creates a folder for the files that are about to be replaced. Its name is not that of a temporary: if a
/// file cannot be put back, it is kept there.
fs::path folder_for_replaced(const fs::path& parent, std::error_code& error) {
  constexpr int most_names = 1000;
  for (int i = 0; i < most_names; ++i) {
    fs::path folder = parent / ("headscope-replaced-" + std::to_string(i));
    if (fs::create_directory(folder, error) || error) return folder;
  }
  error = std::make_error_code(std::errc::file_exists);
  return {};
}

/// Moves every file of `from` to `to`, and the files that it replaces to `replaced`. Moves either all or
/// none.
Result<void> move_files(const fs::path& from, const fs::path& to, const fs::path& replaced) {
  const std::set<fs::path> names = names_in(from);
  Renamings renamings(2 * names.size());
  for (const fs::path& name : names) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(to / name))) error = renamings.rename(to / name, replaced / name);
    if (!error) error = renamings.rename(from / name, to / name);
    if (error) return cannot_write(to / name, error);
  }
  renamings.keep();
  return {};
}

Result<void> move_files_one_by_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::path replaced = folder_for_replaced(to, error);
  if (error) return cannot_write(to, error);
  auto done = move_files(from, to, replaced);
  if (done) {
    fs::remove_all(replaced, error);
  } else {
    // Fails, as it should, if a file could not be put back and is still in this folder.
    fs::remove(replaced, error);
  }
  return done;
}

bool are_one_file(const fs::path& a, const fs::path& b) {
  struct stat first {};
  struct stat second {};
  return ::lstat(a.c_str(), &first) == 0 && ::lstat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// Removes the files of a folder that has just received the name `old`: those that were replaced, and those
/// that the new folder contains as well. Files that another process wrote into it at the last moment move to
/// the new folder.
void remove_replaced(const fs::path& old, const fs::path& now, const std::set<fs::path>& replaced) {
  for (const fs::path& name : names_in(old)) {
    if (replaced.contains(name) || are_one_file(old / name, now / name)) {
      ::unlink((old / name).c_str());
    } else {
      ::rename((old / name).c_str(), (now / name).c_str());
    }
  }
  ::rmdir(old.c_str());
}

/// An open folder that stays locked as long as this object lives, unless another process has already locked
/// it.
class HeldFolder {
 public:
  explicit HeldFolder(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX | LOCK_NB);
  }
  ~HeldFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

 private:
  int descriptor_;
};

/// Whether a folder was forced to the disk. EINVAL means that its file system does not support or need this.
bool is_forced_to_disk(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL;
}

bool is_current_folder(const fs::path& folder) {
  std::error_code unknown;
  return fs::equivalent(folder, ".", unknown);
}

}  // namespace

Result<AtomicFolder> AtomicFolder::create(const fs::path& folder) {
  AtomicFolder made;
  made.folder_ = (fs::absolute(folder) / "").lexically_normal().parent_path();  // without a trailing slash
  std::error_code error;
  const bool exists = fs::exists(made.folder_, error);
  if (exists) made.folder_ = fs::canonical(made.folder_, error);
  if (error) return cannot_write(folder, error);
  if (exists && !fs::is_directory(made.folder_, error)) {
    return cannot_write(folder, std::make_error_code(std::errc::not_a_directory));
  }
  // An exchange of names would not require this permission, only that to write in the parent folder.
  if (exists && ::faccessat(AT_FDCWD, made.folder_.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return cannot_write(folder, last_error());
  }
  if (exists) remove_abandoned_temporaries(made.folder_);
  remove_abandoned_temporaries(made.folder_.parent_path());
  Temporary apart = make_temporary_folder(made.folder_.parent_path());
  struct stat here {};
  struct stat beside {};
  if (exists && ::stat(made.folder_.c_str(), &here) != 0) here.st_dev = 0;
  const bool is_elsewhere = exists && apart.descriptor >= 0 && ::fstat(apart.descriptor, &beside) == 0 &&
                            here.st_dev != beside.st_dev;
  if (is_elsewhere) {
    ::rmdir(apart.path.c_str());
    ::close(std::exchange(apart.descriptor, -1));
  }
  if (exists && apart.descriptor < 0) {
    apart = make_temporary_folder(made.folder_);
  }
  if (apart.descriptor < 0) return cannot_write(folder, {apart.error, std::generic_category()});
  made.apart_ = apart.path;
  made.descriptor_ = apart.descriptor;
  // The new folder must not be readable by anyone who may not read the folder that it replaces.
  if (exists) ::fchmod(made.descriptor_, (here.st_mode & 0777U) | S_IRWXU);
  return made;
}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      apart_(std::exchange(other.apart_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!apart_.empty()) fs::remove_all(apart_, ignored);
  if (descriptor_ >= 0) ::close(descriptor_);
}

tl::unexpected<Error> AtomicFolder::failed(Error error) const {
  const std::string apart = apart_.string();
  if (const auto at = error.message.find(apart); at != std::string::npos) {
    error.message.replace(at, apart.size(), folder_.string());
  }
  return tl::unexpected(std::move(error));
}

Result<void> AtomicFolder::commit() try {
  if (!is_forced_to_disk(descriptor_)) return cannot_write(folder_, last_error());
  if (fs::exists(folder_)) {
    if (auto replaced = replace(); !replaced) return replaced;
  } else {
    if (::rename(apart_.c_str(), folder_.c_str()) != 0) return cannot_write(folder_, last_error());
    apart_.clear();
  }
  force_to_disk(folder_.parent_path());
  return {};
} catch (const fs::filesystem_error& error) {
  return cannot_write(folder_, error.code());
}

Result<void> AtomicFolder::replace() {
  const std::set<fs::path> own = names_in(apart_);
  std::set<fs::path> kept;
  bool can_exchange = apart_.parent_path() == folder_.parent_path() && !is_current_folder(folder_);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const fs::path name = entry.path().filename();
    const fs::file_type type = entry.symlink_status().type();
    const bool is_folder = type == fs::file_type::directory;
    if (own.contains(name)) {
      if (is_folder) return cannot_write(entry.path(), std::make_error_code(std::errc::is_a_directory));
    } else {
      can_exchange = can_exchange && (type == fs::file_type::regular || type == fs::file_type::symlink);
      kept.insert(name);
    }
  }
  if (can_exchange && exchange(own, kept)) return {};
  for (const fs::path& name : kept) ::unlink((apart_ / name).c_str());
  return move_files_one_by_one(apart_, folder_);
}

/// Adds the kept files to the new folder, and exchanges the names of both folders. If it returns false, the
/// old folder is unchanged.
bool AtomicFolder::exchange(const std::set<fs::path>& own, const std::set<fs::path>& kept) {
  // The lock keeps others from taking the old folder for abandoned while it has the name of a temporary.
  const HeldFolder old(folder_);
  for (const fs::path& name : kept) {
    // A symbolic link becomes another link to the same target.
    if (::linkat(AT_FDCWD, (folder_ / name).c_str(), AT_FDCWD, (apart_ / name).c_str(), 0) != 0) return false;
  }
  struct stat status {};
  if (::stat(folder_.c_str(), &status) != 0) return false;
  // The owner of the old folder is kept if possible. If not, that is no reason to refuse.
  static_cast<void>(::fchown(descriptor_, status.st_uid, status.st_gid));
  static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777U));
  if (!is_forced_to_disk(descriptor_)) return false;
  if (::renameat2(AT_FDCWD, apart_.c_str(), AT_FDCWD, folder_.c_str(), RENAME_EXCHANGE) != 0) return false;
  remove_replaced(std::exchange(apart_, {}), folder_, own);
  return true;
}

}  // namespace headscope
