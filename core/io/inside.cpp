#include "core/io/inside.h"

#include <algorithm>
#include <system_error>

namespace headscope {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> is_elsewhere(const std::string& name, std::string_view whose) {
  const std::string of(whose);
  return failure("'" + name + "' is not in the folder of the " + of + ": copy it beside the " + of +
                 ", not as a link, and give its name without a parent folder");
}

/// Whether a path, with links resolved, is inside a folder with links resolved.
bool lies_in(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  const fs::path place = fs::weakly_canonical(path, error);
  return !error && std::ranges::mismatch(folder, place).in1 == folder.end();
}

}  // namespace

Result<void> check_inside(const fs::path& folder, const fs::path& path, std::string_view whose) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(folder / "", error).parent_path(), error);
  if (error || !lies_in(real, path)) return is_elsewhere(path.string(), whose);
  const fs::file_status status = fs::status(path, error);
  const bool is_file = fs::is_regular_file(status);
  // Weights stand for their folder, whose other files are read as well.
  const bool is_weights = is_file && path.extension() == ".safetensors";
  if (!fs::exists(status) || (is_file && !is_weights)) return {};
  if (!is_file && !fs::is_directory(status))
    return failure("'" + path.string() + "' is not a regular file: save its contents to a file beside the " +
                   std::string(whose));
  const fs::path around = is_weights ? fs::absolute(path, error).parent_path() : path;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(around, options, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    if (is_weights) entry.disable_recursion_pending();
    if (entry->is_symlink(unknown) && !lies_in(real, entry->path()))
      return is_elsewhere(entry->path().string(), whose);
  }
  if (error) return is_elsewhere(around.string(), whose);
  return {};
}

Result<fs::path> inside(const fs::path& folder, const std::string& name, std::string_view whose) {
  const fs::path path(name);
  const bool leaves = path.is_absolute() || std::ranges::find(path, fs::path("..")) != path.end();
  if (leaves || folder.empty()) return is_elsewhere(name, whose);
  return check_inside(folder, folder / path, whose).map([&] { return folder / path; });
}

}  // namespace headscope
