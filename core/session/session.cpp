#include "core/session/session.h"

#include <utility>

#include "core/io/json_text.h"
#include "core/session/repair.h"
#include "core/session/setting_json.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr int session_version = 1;
constexpr int json_indent = 1;

/// Returns what is wrong with the version. Empty if it is this program's.
std::string wrong_version(const nlohmann::json& json) {
  const auto version = json.find("version");
  if (version == json.end()) return "it has no version";
  if (*version == session_version && version->is_number_integer()) return {};
  if (version->is_number_integer() && *version > session_version)
    return "a newer Headscope wrote it (version " + shown(*version) + ", and this one reads " +
           std::to_string(session_version) + "): update the program";
  return "its version is " + shown(*version) + ", but must be " + std::to_string(session_version);
}

/// Keeps the weights and adopts their task, if they fit the session's architecture.
void take_model(Session& session) {
  const ModelRef model = std::exchange(session.model, nullptr);
  if (!model) return;
  Architecture kept = session.architecture;
  kept.foreign = model->model.architecture.foreign;
  if (model->model.architecture != kept) return;
  session.architecture = kept;
  session.model = model;
  session.task = model->task;
}

/// Returns a message that says what was wrong. Empty on success.
std::string read_compared(const nlohmann::json& list, const std::vector<ModelRef>& models, Session& session) {
  if (!list.is_array() || list.size() > max_compared)
    return "held is " + shown(list) + ", but must be a list of at most " + std::to_string(max_compared);
  for (const nlohmann::json& each : list) {
    const std::string place = "held[" + std::to_string(session.compared.size()) + "]";
    if (!each.is_object()) return place + " is " + shown(each) + ", but must be an object";
    Session compared;
    const std::size_t index = session.compared.size() + 1;
    if (index < models.size()) compared.model = models[index];
    if (const std::string error = read_settings(each, "", compared, is_per_subject); !error.empty())
      return place + "." + error;
    take_model(compared);
    session.compared.push_back(compared.subject());
  }
  return {};
}

}  // namespace

Subject::Subject() {
  sentence = default_sentence;
  target = default_target;
}
Subject::Subject(const Subject& other) = default;
Subject::Subject(Subject&& other) noexcept = default;
Subject& Subject::operator=(const Subject& other) = default;
Subject& Subject::operator=(Subject&& other) noexcept = default;
Subject::~Subject() = default;
bool Subject::operator==(const Subject& other) const = default;

Session::Session() = default;
Session::Session(const Session& other) = default;
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(const Session& other) = default;
Session& Session::operator=(Session&& other) noexcept = default;
Session::~Session() = default;
bool Session::operator==(const Session& other) const = default;

std::string to_json(const Session& session) {
  nlohmann::json json;
  write_settings(session, "", json);
  for (const Subject& subject : session.compared) {
    nlohmann::json compared;
    write_settings(with_subject(session, subject), "", compared, is_per_subject);
    json["held"].push_back(std::move(compared));
  }
  json["version"] = session_version;
  return json_text(json, json_indent) + "\n";
}

Result<Session> session_from_json(std::string_view text, const std::vector<ModelRef>& models) {
  const auto cannot_read = [](const std::string& why) { return failure("cannot read the session: " + why); };
  const auto parsed = parse_json(text);
  if (!parsed) return cannot_read(parsed.error().message);
  if (!parsed->is_object()) return cannot_read("it is not a JSON object");
  if (const std::string wrong = wrong_version(*parsed); !wrong.empty()) return cannot_read(wrong);
  Session session;
  // The model comes first, because its tokenizer determines how many tokens can be selected.
  if (!models.empty()) session.model = models.front();
  if (const std::string error = read_settings(*parsed, "", session); !error.empty())
    return cannot_read(error);
  take_model(session);
  if (const auto compared = parsed->find("held"); compared != parsed->end()) {
    const std::string error = read_compared(*compared, models, session);
    if (!error.empty()) return cannot_read(error);
  }
  return repaired(session, Session{});
}

}  // namespace headscope
