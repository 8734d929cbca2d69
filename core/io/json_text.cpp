#include "core/io/json_text.h"

#include <algorithm>

namespace headscope {
namespace {

using Json = nlohmann::json;

/// "line 3, column 7", counting from 1; a column is a byte.
std::string place_name(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_begin + 1);
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  bool is_too_deep = false;
  const auto keep = [&is_too_deep](int depth, Json::parse_event_t event, const Json& /*value*/) {
    const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    is_too_deep = is_too_deep || (opens && depth >= max_json_depth);
    return !is_too_deep;
  };
  try {
    Json json = Json::parse(text, keep);
    if (!is_too_deep) return json;
    return failure("its JSON is nested deeper than " + std::to_string(max_json_depth) + " levels");
  } catch (const Json::parse_error& error) {
    return failure("it is not JSON from " + place_name(text, error.byte) + " on");
  } catch (const Json::exception& error) {
    return failure(std::string("its JSON cannot be held: ") + error.what());
  }
}

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace headscope
