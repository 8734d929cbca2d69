#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// What a file from elsewhere may read: only what lies in its own folder. The author may be a stranger, and
/// whatever the program reads can stand in a figure or a handout that is given away. What a person names, on
/// the command line or in the window, is not checked.

/// Fails if `path`, which the file named `whose` (“lesson”, “scene”) in `folder` refers to, leads out of that
/// folder through “..” or a link, if it is a device or a pipe, which may never end, or if it is a folder with
/// a link that leads out, or weights in such a folder. A path to nothing passes.
Result<void> check_inside(const std::filesystem::path& folder, const std::filesystem::path& path,
                          std::string_view whose);

/// The place of what such a file calls `name`, relative to its folder. Fails as check_inside() does, for
/// absolute names and names with “..”, and for every name if `folder` is empty.
Result<std::filesystem::path> inside(const std::filesystem::path& folder, const std::string& name,
                                     std::string_view whose);

}  // namespace headscope
