#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// Sandboxing of untrusted lessons and scenes: they may refer only to files in their own folder, since
/// anything they read could end up in a figure or handout that is shared. Paths given by the user, on the
/// command line or in the window, are not restricted.

/// Fails if `path`, referred to by the file in `folder` (called `whose` in messages: “lesson”, “scene”),
/// escapes that folder through “..” or a link; is a device or a pipe, which may be endless; or is a folder,
/// or weights in a folder, with a link that escapes. Nonexistent paths pass.
Result<void> check_inside(const std::filesystem::path& folder, const std::filesystem::path& path,
                          std::string_view whose);

/// Resolves `name` in such a file relative to `folder`. Fails like check_inside(), for absolute names and
/// names with “..”, and always if `folder` is empty.
Result<std::filesystem::path> inside(const std::filesystem::path& folder, const std::string& name,
                                     std::string_view whose);

}  // namespace headscope
