#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/checkpoint/bundled_models.h"
#include "core/session/session.h"

namespace headscope {

/// A session as it was kept.
struct KeptSession {
  Session session;
  std::string complaint;  ///< what of it could not be had again, for the person; empty where all is well
  bool has_model = true;  ///< false: its weights could not be read, this time
};

/// The session as JSON that can be read wherever the program is started: the folder of its model is absolute.
/// Weights that are in no folder are written to one in `folder` that is named in the JSON (`weights`), unless
/// it is there already. Errors: what cannot be written.
Result<nlohmann::json> kept_session(const Session& session, const std::filesystem::path& folder);

/// The session of such JSON, with its model or weights. Relative names of weights are looked up in `folder`.
/// `instead`: stands in for a named model that cannot be opened, where its numbers are that model's; null:
/// none. Errors: JSON that is no session.
Result<KeptSession> read_kept_session(const nlohmann::json& json, const std::filesystem::path& folder,
                                      const ModelPlaces& places, const ModelValue& instead = nullptr);

/// Removes the weights that kept_session() wrote to `folder` for other sessions than the `kept` one.
void remove_other_weights(const std::filesystem::path& folder, const nlohmann::json& kept);

/// A session in a folder of its own: a kill at any moment leaves the session before or this one. Errors: what
/// cannot be written.
Result<void> save_session(const std::filesystem::path& folder, const Session& session);
/// Whether a folder holds one.
bool has_session(const std::filesystem::path& folder);
/// The sentence of the session in a folder, without its weights; empty where it cannot be read.
std::string kept_sentence(const std::filesystem::path& folder);
/// When a folder's session was written.
std::filesystem::file_time_type kept_at(const std::filesystem::path& folder);
/// Errors: a folder without a session.
Result<KeptSession> load_session(const std::filesystem::path& folder, const ModelPlaces& places);

}  // namespace headscope
