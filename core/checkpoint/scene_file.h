#pragma once

#include <filesystem>
#include <string_view>

#include "core/checkpoint/saved_session.h"

namespace headscope {

inline constexpr std::string_view scene_extension = ".headscope";

/// Whether a file is a scene, by its name.
bool is_scene_file(const std::filesystem::path& file);

/// Writes a session to a file that opens again as what it is: JSON with a version, in which a model is named
/// by its folder and the hash of its numbers. Weights that were trained in the window go to the folder
/// FILE.weights beside it. The file is written beside and renamed, so that a kill leaves the old scene or the
/// new one. Errors: what cannot be written; more than 16 MiB of numbers given by hand; masks that were loaded
/// from files, which a scene cannot hold.
Result<void> write_scene(const std::filesystem::path& file, const Session& session);

/// Reads what write_scene() wrote. `complaint` says what of it could not be had again: a model that is not
/// where it was, or that has changed; `instead` stands in for it where it has its numbers. Errors: files that
/// cannot be read, are no scene, or were written by a newer version.
Result<KeptSession> read_scene(const std::filesystem::path& file, const ModelPlaces& places,
                               const ModelValue& instead = nullptr);

}  // namespace headscope
