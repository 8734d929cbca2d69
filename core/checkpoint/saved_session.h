#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/checkpoint/bundled_models.h"
#include "core/session/session.h"

namespace headscope {

/// A session that was read from a file.
struct KeptSession {
  Session session;
  std::string complaint;  ///< What could not be restored, as a message for people. Empty if everything could.
  bool has_model = true;  ///< False if the weights could not be read this time.
};

/// Whether a model is attention that a running program sent, which is in no file that could be opened again.
bool is_in_no_file(const ModelValue& model);
/// Whether the weights of a subject are in no folder, so that they are kept with its session.
bool has_own_weights(const Subject& subject);

/// How JSON names the folder of a model: by an absolute path, which is valid wherever the program is started,
/// as the session names it, or by the last part of its path, as if it lay beside the session's file.
enum class ModelNames { absolute, as_given, beside };

/// The session as JSON. It contains the numbers of masks that came from files, unless they have more than
/// `most_kept_mask_cells` cells. Models are stored as their names and a hash of their numbers. Of weights
/// that are in no folder, only the hash is stored.
Result<nlohmann::json> named_session(const Session& session, ModelNames names);

/// The number of cells of all masks from files.
std::size_t n_mask_cells(const Session& session);

/// The same, but weights that are in no folder are written to a subfolder of `folder`, unless they are
/// already there; the JSON names it (`weights`). It is an error if something cannot be written, or if
/// `folder` is a link.
Result<nlohmann::json> kept_session(const Session& session, const std::filesystem::path& folder,
                                    ModelNames names = ModelNames::absolute);

/// The name of a model that lies beside a session's file.
std::string name_beside(const std::filesystem::path& model);

/// Whether a model has no links that lead out of its own folder or, in the cache of Hugging Face's hub, out
/// of its repository. The hash of a model does not include all of its files.
bool is_alone(const std::filesystem::path& model);

/// Who wrote a session's JSON. A file that anyone may have written does not reach a model elsewhere, unless
/// that model has the numbers that the session was saved with.
enum class Author { reader, anyone };

/// Reads the session from such JSON, with its model or weights. Weights are looked up in `folder`. A model
/// that is no longer at its place is looked for beside that folder. If a named model cannot be opened or has
/// changed, `instead` replaces it, provided that it has that model's numbers; `instead` is null if there is
/// no replacement. It is an error if the JSON is not a session.
Result<KeptSession> read_kept_session(const nlohmann::json& json, const std::filesystem::path& folder,
                                      const ModelPlaces& places, Author author,
                                      const ModelValue& instead = nullptr);

/// Removes from `folder` the weights that kept_session() wrote there for the session `before`, which `kept`
/// replaces, unless that also names them. Links, and folders with files of others, stay.
void remove_other_weights(const std::filesystem::path& folder, const nlohmann::json& before,
                          const nlohmann::json& kept);

/// Writes a session to its own folder. If the program is killed at any moment, the folder holds either the
/// previous session or this one. It is an error if something cannot be written.
Result<void> save_session(const std::filesystem::path& folder, const Session& session);
/// Whether a folder holds a session.
bool has_session(const std::filesystem::path& folder);
/// The sentence of the session in a folder, without its weights. Empty if it cannot be read.
std::string kept_sentence(const std::filesystem::path& folder);
/// The time at which a folder's session was written.
std::filesystem::file_time_type kept_at(const std::filesystem::path& folder);
/// Reads the session in a folder. It is an error if there is none.
Result<KeptSession> load_session(const std::filesystem::path& folder, const ModelPlaces& places);

}  // namespace headscope
