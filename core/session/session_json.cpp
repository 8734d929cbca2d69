#include "core/io/json_text.h"
#include "core/model/trained_model.h"
#include "core/session/repair.h"
#include "core/session/setting_json.h"

namespace headscope {
namespace {

constexpr int session_version = 1;
constexpr int json_indent = 1;

/// Empty where the version is ours.
std::string wrong_version(const nlohmann::json& json) {
  const auto version = json.find("version");
  if (version == json.end()) return "it has no version";
  if (*version == session_version && version->is_number_integer()) return {};
  return "its version is " + shown(*version) + ", but must be " + std::to_string(session_version);
}

}  // namespace

std::string to_json(const Session& session) {
  nlohmann::json json;
  write_settings(session, "", json);
  json["version"] = session_version;
  return json_text(json, json_indent) + "\n";
}

Result<Session> session_from_json(std::string_view text, const ModelValue& model) {
  const auto cannot_read = [](const std::string& why) { return failure("cannot read the session: " + why); };
  const auto parsed = parse_json(text);
  if (!parsed) return cannot_read(parsed.error().message);
  if (!parsed->is_object()) return cannot_read("it is not a JSON object");
  if (const std::string wrong = wrong_version(*parsed); !wrong.empty()) return cannot_read(wrong);
  Session session;
  if (const std::string error = read_settings(*parsed, "", session); !error.empty())
    return cannot_read(error);
  if (model && model->model.architecture == session.architecture) {
    session.model = model;
    session.task = model->task;
  }
  return repaired(session, Session{});
}

}  // namespace headscope
