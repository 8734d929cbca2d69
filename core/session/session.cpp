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

void check_version(const nlohmann::json& json) {
  const auto version = json.find("version");
  if (version == json.end()) refuse(failure("it has no version"));
  if (*version == session_version && version->is_number_integer()) return;
  if (version->is_number_integer() && *version > session_version)
    refuse(failure("a newer Headscope wrote it (version " + shown(*version) + ", and this one reads " +
                   std::to_string(session_version) + "): update the program"));
  refuse(failure("its version is " + shown(*version) + ", but must be " + std::to_string(session_version)));
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

void read_compared(const nlohmann::json& list, const std::vector<ModelRef>& models, Session& session) {
  if (!list.is_array() || list.size() > max_compared)
    refuse(failure("held is " + shown(list) + ", but must be a list of at most " +
                   std::to_string(max_compared)));
  for (const nlohmann::json& each : list) {
    const std::string place = "held[" + std::to_string(session.compared.size()) + "]";
    if (!each.is_object()) refuse(failure(place + " is " + shown(each) + ", but must be an object"));
    Session compared;
    const std::size_t index = session.compared.size() + 1;
    if (index < models.size()) compared.model = models[index];
    ensure(result_of(place + ".", [&] { read_settings(each, "", compared, is_per_subject); }));
    take_model(compared);
    session.compared.push_back(compared.subject());
  }
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
  return result_of("cannot read the session: ", [&] {
    const nlohmann::json json = parse_json(text).value();
    if (!json.is_object()) refuse(failure("it is not a JSON object"));
    check_version(json);
    Session session;
    // The model comes first, because its tokenizer determines how many tokens can be selected.
    if (!models.empty()) session.model = models.front();
    read_settings(json, "", session);
    take_model(session);
    if (const auto compared = json.find("held"); compared != json.end())
      read_compared(*compared, models, session);
    return repaired(session, Session{});
  });
}

}  // namespace headscope
