#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/checkpoint/saved_session.h"

namespace headscope {

inline constexpr std::string_view scene_extension = ".headscope";

/// Whether a file name is that of a scene.
bool is_scene_file(const std::filesystem::path& file);

/// The folder beside a scene's file for weights that were trained in the window.
std::filesystem::path weights_of(const std::filesystem::path& file);

/// Writes a session to a file: JSON with a version, which names a model by its folder and the hash of its
/// numbers. Weights that were trained in the window go to weights_of() the file; those that only the previous
/// scene used are removed. If `is_new`, never overwrites a file (write_new_file()). Atomic: a killed program
/// leaves either the old or the new scene. It is an error if something cannot be written, or if the scene
/// with its given numbers and masks exceeds 16 MiB.
Result<void> write_scene(const std::filesystem::path& file, const Session& session, bool is_new = false);

/// Reads a scene of any author (Author::anyone). `complaint` says what could not be restored: a model that
/// was moved or has changed. `instead` replaces that model if it has its numbers. It is an error if the file
/// cannot be read, is not a scene, or was written by a newer version.
Result<LoadedSession> read_scene(const std::filesystem::path& file, const ModelSearchPaths& places,
                                 const ModelRef& instead = nullptr);

/// The scene for embedding in a picture: the same JSON in ASCII, on one line, without weights that are in no
/// folder. Model names are those of the session, because pictures leave the machine. `figure`, if not null,
/// describes the picture itself under the key "figure". It is an error if the text exceeds 16 MiB or masks
/// exceed max_saved_mask_cells.
Result<std::string> scene_text(const Session& session, const nlohmann::json& figure = nullptr);

/// Like read_scene() for a scene_text(). A missing model is looked up beside the file `picture`.
Result<LoadedSession> read_scene_text(std::string_view text, const std::filesystem::path& picture,
                                      const ModelSearchPaths& places, const ModelRef& instead = nullptr);

}  // namespace headscope
