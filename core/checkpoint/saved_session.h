#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/checkpoint/model_folder.h"
#include "core/session/session.h"

namespace headscope {

/// A session that was read from a file.
struct LoadedSession {
  Session session;
  std::string complaint;  ///< A message about what could not be restored. Empty if everything could.
  bool has_model = true;  ///< False if the weights could not be read.
};

/// Whether a model is attention that a running program pushed, so that no file holds it.
bool has_no_file(const ModelRef& model);
/// Whether the weights of a subject are in no folder, so that they are saved with its session.
bool has_own_weights(const Subject& subject);

/// How JSON names the folder of a model: by an absolute path, as the session does, or by its file name, as if
/// it were beside the session's file.
enum class ModelNaming { absolute, as_given, beside };

/// The maximum number of mask cells that are stored with a session. Beyond it, only the names of the masks
/// are.
inline constexpr std::size_t max_saved_mask_cells = std::size_t{1} << 20U;

/// The number of cells of all masks from files.
std::size_t n_mask_cells(const Session& session);

/// The session as JSON. Masks from files are embedded, unless they have more than `max_saved_mask_cells`
/// cells. Models are stored as name and hash of their numbers. Weights that are in no folder are stored as a
/// hash and written to a subfolder of `folder`, unless they exist there; the JSON names it (`weights`). It is
/// an error if something cannot be written, or if `folder` is a link.
Result<nlohmann::json> save_session_json(const Session& session, const std::filesystem::path& folder,
                                         ModelNaming names = ModelNaming::absolute);

/// The name of a model beside a session's file.
std::string sibling_name(const std::filesystem::path& model);

/// Whether no link of a model leads out of its folder or, in the cache of Hugging Face's hub, out of its
/// repository. Needed because the hash of a model does not cover all of its files.
bool is_self_contained(const std::filesystem::path& model);

/// Who wrote a session's JSON. A file by anyone opens a model elsewhere only if its hash matches.
enum class Author { reader, anyone };

/// Reads a session from such JSON, with its model or weights. Looks up weights in `folder`, and a missing
/// model beside it. If a named model cannot be opened or has changed, `instead` (may be null) replaces it,
/// provided that it has that model's numbers. It is an error if the JSON is not a session.
Result<LoadedSession> read_saved_session(const nlohmann::json& json, const std::filesystem::path& folder,
                                         const ModelSearchPaths& places, Author author,
                                         const ModelRef& instead = nullptr);

/// Removes the weights from `folder` that save_session_json() wrote for the session `before`, unless its
/// replacement `kept` also names them. Never removes links, or folders with other files.
void remove_stale_weights(const std::filesystem::path& folder, const nlohmann::json& before,
                          const nlohmann::json& kept);

/// Writes a session to its own folder. Atomic: if the program is killed, the folder holds either the previous
/// session or this one. It is an error if something cannot be written.
Result<void> save_session(const std::filesystem::path& folder, const Session& session);
/// Whether a folder holds a session.
bool has_session(const std::filesystem::path& folder);
/// The sentence of the session in a folder. Reads no weights. Empty if it cannot be read.
std::string saved_sentence(const std::filesystem::path& folder);
/// The time at which a folder's session was written.
std::filesystem::file_time_type saved_at(const std::filesystem::path& folder);
/// Reads the session in a folder. It is an error if there is none.
Result<LoadedSession> load_session(const std::filesystem::path& folder, const ModelSearchPaths& places);

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
