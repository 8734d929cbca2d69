#include "core/system/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <new>
#include <system_error>

namespace headscope {
namespace {

tl::unexpected<Error> cannot_read(const std::filesystem::path& path, const std::string& why) {
  return failure("cannot read '" + path.string() + "': " + why);
}

tl::unexpected<Error> cannot_read(const std::filesystem::path& path, int error) {
  return cannot_read(path, std::generic_category().message(error));
}

tl::unexpected<Error> too_large(const std::filesystem::path& path, std::size_t max_bytes) {
  const std::size_t mebibytes = max_bytes >> 20U;
  return cannot_read(path,
                     "it is larger than " + (mebibytes > 0 ? std::to_string(mebibytes) + " MiB"
                                                           : std::to_string(max_bytes >> 10U) + " KiB"));
}

/// Closes a file when the result is destroyed, before which `descriptor` must not be.
auto closing(const int& descriptor) {
  const auto close = [](const int* open) { ::close(*open); };
  return std::unique_ptr<const int, decltype(close)>(&descriptor, close);
}

/// Reads the rest of an open file.
Result<std::string> read_rest(int descriptor, const std::filesystem::path& path, std::size_t max_bytes,
                              std::size_t expected_bytes = 0) try {
  std::string content;
  content.reserve(expected_bytes);
  std::string block(std::size_t{1} << 16U, '\0');
  while (true) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, errno);
    if (got == 0) return content;
    content.append(block, 0, static_cast<std::size_t>(got));
    if (content.size() > max_bytes) return too_large(path, max_bytes);
  }
} catch (const std::bad_alloc&) {
  return cannot_read(path, "not enough memory; close other programs, or use a smaller file");
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot_read(path, errno);
  const auto closer = closing(descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) return cannot_read(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    return cannot_read(path, "it is not a regular file: save its contents to a file first");
  if (static_cast<std::size_t>(status.st_size) > max_bytes) return too_large(path, max_bytes);
  auto content = read_rest(descriptor, path, max_bytes, static_cast<std::size_t>(status.st_size));
  if (!content) return content;
  struct stat after {};
  if (::fstat(descriptor, &after) != 0) return cannot_read(path, errno);
  const auto changed = [](const timespec& a, const timespec& b) {
    return a.tv_sec != b.tv_sec || a.tv_nsec != b.tv_nsec;
  };
  if (after.st_size != status.st_size || changed(after.st_mtim, status.st_mtim))
    return cannot_read(path, "it changed while it was read: wait until it is complete, and try again");
  return content;
}

Result<std::string> read_to_end(const std::filesystem::path& path, std::size_t max_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_read(path, errno);
  const auto closer = closing(descriptor);
  return read_rest(descriptor, path, max_bytes);
}

}  // namespace headscope
