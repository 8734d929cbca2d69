#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/checkpoint/saved_session.h"

namespace headscope {

inline constexpr std::string_view scene_extension = ".headscope";

/// Whether the name of a file is that of a scene.
bool is_scene_file(const std::filesystem::path& file);

/// The folder beside a scene's file that holds the weights that were trained in the window.
std::filesystem::path weights_of(const std::filesystem::path& file);

/// Writes a session to a file from which it opens again unchanged: JSON with a version, in which a model is
/// named by its folder and the hash of its numbers. Weights that were trained in the window go to the folder
/// FILE.weights beside it (weights_of()). Weights there that only the scene named before are removed. A file
/// that is to be new is not written over another one (write_new()). The file is written under another name
/// and then renamed, so that a killed program leaves either the old or the new scene. It is an error if
/// something cannot be written, or if the scene with its given numbers and masks would take more than 16 MiB.
Result<void> write_scene(const std::filesystem::path& file, const Session& session, bool is_new = false);

/// Reads what write_scene() wrote, or what someone else did (Author::anyone). `complaint` says what could not
/// be restored: a model that is no longer where it was or has changed. `instead` replaces that model if it
/// has its numbers. It is an error if the file cannot be read, is not a scene, or was written by a newer
/// version.
Result<KeptSession> read_scene(const std::filesystem::path& file, const ModelPlaces& places,
                               const ModelValue& instead = nullptr);

/// The scene as a picture carries it: the same JSON in ASCII, on one line, without weights that are in no
/// folder, and with the names of models as the session has them, because pictures are given to others. It is
/// an error if it would take more than 16 MiB or has masks of more than most_kept_mask_cells. `figure`
/// describes the picture itself, under the key "figure"; null if nothing does.
Result<std::string> scene_text(const Session& session, const nlohmann::json& figure = nullptr);

/// Reads scene_text() as read_scene() reads a file. `picture` is the file that carries the text; a model that
/// is no longer at its place is looked for beside it.
Result<KeptSession> read_scene_text(std::string_view text, const std::filesystem::path& picture,
                                    const ModelPlaces& places, const ModelValue& instead = nullptr);

}  // namespace headscope
