#include "core/checkpoint/saved_session.h"

#include <array>
#include <cstdio>
#include <system_error>

#include "core/checkpoint/model_folder.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"
#include "core/io/read_file.h"
#include "core/session/setting_json.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* session_name = "session.json";
constexpr std::string_view weights_begin = "weights-";
constexpr std::string_view removed_begin = "removed-";
constexpr std::size_t most_session_bytes = std::size_t{64} << 20U;
constexpr int session_indent = 1;

bool has_own_weights(const Session& session) {
  return session.model && session.model->name.empty();
}

/// The same weights have the same name, so that they are written once, and others another one.
std::string folder_of_weights(const TrainedModel& model) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(content_hash(model)));
  return std::string(weights_begin) + digits.data();
}

/// The trained weights that a session names; null where it names none.
Result<ModelValue> model_of(const Json& session, const fs::path& folder, const ModelPlaces& places) {
  if (!session.is_object()) return ModelValue();
  if (const auto weights = session.find("weights"); weights != session.end() && weights->is_string()) {
    return load_weights(folder / weights->get<std::string>()).map([](const auto& model) {
      return ModelValue(model);
    });
  }
  const auto name = session.find("model");
  if (name == session.end() || !name->is_string()) return ModelValue();
  return open_model(name->get<std::string>(), places).map([](const auto& model) {
    return ModelValue(model);
  });
}

std::string name_of(const ModelValue& model) {
  return model->name.empty() ? "which was trained here" : model->name;
}

}  // namespace

Result<Json> kept_session(const Session& session, const fs::path& folder) {
  auto json = parse_json(to_json(session));
  if (!json) return tl::unexpected(json.error());
  if (has_own_weights(session)) {
    const std::string name = folder_of_weights(*session.model);
    std::error_code ignored;
    // A kill may leave a folder without files, but no model without one of its files.
    if (!fs::exists(folder / name, ignored) || fs::is_empty(folder / name, ignored)) {
      if (auto saved = save_model(folder / name, *session.model); !saved)
        return tl::unexpected(saved.error());
    }
    (*json)["weights"] = name;
  } else if (session.model && !is_bundled(session.model->name)) {
    std::error_code ignored;
    (*json)["model"] = fs::absolute(session.model->name, ignored).string();
  }
  return json;
}

Result<KeptSession> read_kept_session(const Json& json, const fs::path& folder, const ModelPlaces& places) {
  KeptSession kept;
  const auto model = model_of(json, folder, places);
  auto session = session_from_json(json_text(json), model.value_or(ModelValue()));
  if (!session) return tl::unexpected(session.error());
  kept.session = std::move(*session);
  if (!model) {
    kept.has_model = false;
    kept.complaint = "Could not reopen the previous model: " + model.error().message;
  } else if (*model && kept.session.model != *model) {
    kept.complaint =
        "The previous model, " + name_of(*model) + ", now has a different architecture: open it again";
  }
  if (json.contains(Json::json_pointer("/attention/mask_files"))) {
    kept.complaint += (kept.complaint.empty() ? "" : ". ");
    kept.complaint += "Mask files are not saved with the settings: drop them on the window again";
  }
  return kept;
}

namespace {

std::vector<fs::path> entries_that_begin(const fs::path& folder, std::string_view with) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with(with)) found.push_back(entry->path());
  }
  return found;
}

}  // namespace

/// They lose their name first: weights of which a kill has left some files are none.
void remove_other_weights(const fs::path& folder, const Json& kept) {
  std::error_code error;
  for (const fs::path& removed : entries_that_begin(folder, removed_begin)) fs::remove_all(removed, error);
  const std::string own = kept.value("weights", "");
  for (const fs::path& weights : entries_that_begin(folder, weights_begin)) {
    if (weights.filename() == own) continue;
    const fs::path nameless = folder / (std::string(removed_begin) + weights.filename().string());
    fs::rename(weights, nameless, error);
    if (!error) fs::remove_all(nameless, error);
  }
}

Result<void> save_session(const fs::path& folder, const Session& session) {
  const auto json = kept_session(session, folder);
  if (!json) return tl::unexpected(json.error());
  if (auto written = write_atomically(folder / session_name, json_text(*json, session_indent) + "\n");
      !written) {
    return written;
  }
  remove_other_weights(folder, *json);
  return {};
}

bool has_session(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / session_name, ignored);
}

Result<KeptSession> load_session(const fs::path& folder, const ModelPlaces& places) {
  const auto text = read_file(folder / session_name, most_session_bytes);
  if (!text) return tl::unexpected(text.error());
  const auto json = parse_json(*text);
  if (!json)
    return failure("'" + (folder / session_name).string() + "' cannot be read: " + json.error().message);
  return read_kept_session(*json, folder, places);
}

}  // namespace headscope
