#include "core/session/architecture_json.h"

#include "core/session/setting_json.h"

namespace headscope {
namespace {

constexpr std::string_view architecture_keys = "architecture.";

}  // namespace

nlohmann::json architecture_to_json(const Architecture& architecture) {
  Session session;
  session.architecture = architecture;
  nlohmann::json json = nlohmann::json::object();
  write_settings(session, architecture_keys, json);
  return json;
}

Result<Architecture> architecture_from_json(const nlohmann::json& json) {
  if (!json.is_object()) return failure("the architecture is not a JSON object");
  Session session;
  const std::string error = read_settings(json, architecture_keys, session);
  if (!error.empty()) return failure("the architecture cannot be read: " + error);
  if (auto ok = validate(session.architecture); !ok) return tl::unexpected(ok.error());
  return session.architecture;
}

}  // namespace headscope
