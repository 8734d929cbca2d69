#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/checkpoint/bundled_models.h"
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

/// The session as JSON. Masks from files are embedded, unless they have more than `max_saved_mask_cells`
/// cells. Models are stored as name and hash of their numbers; weights that are in no folder as hash only.
Result<nlohmann::json> session_with_model_names(const Session& session, ModelNaming names);

/// The number of cells of all masks from files.
std::size_t n_mask_cells(const Session& session);

/// The session as JSON, as session_with_model_names() makes it. Weights that are in no folder are also
/// written to a subfolder of `folder`, unless they exist there; the JSON names it (`weights`). It is an error
/// if something cannot be written, or if `folder` is a link.
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

}  // namespace headscope
