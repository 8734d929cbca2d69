#include "core/engine/guesses_json.h"

#include "core/io/json_text.h"

namespace headscope {
namespace {

constexpr int indent = 1;

std::string with(const std::string& session_json, const nlohmann::json& guesses) {
  auto session = parse_json(session_json);
  if (!session || !session->is_object()) return session_json;
  (*session)["guesses"] = guesses;
  return json_text(*session, indent) + "\n";
}

}  // namespace

std::string with_guesses(const std::string& session_json, const Trace& trace) {
  return trace.task_rows().demands.empty() ? session_json : with(session_json, trace.guesses().rows);
}

std::string with_guesses(const std::string& session_json, BatchTraces traces) {
  if (traces.empty() || traces.front()->task_rows().demands.empty()) return session_json;
  nlohmann::json guesses = nlohmann::json::array();
  for (const auto& trace : traces) guesses.push_back(trace->guesses().rows);
  return with(session_json, guesses);
}

}  // namespace headscope
