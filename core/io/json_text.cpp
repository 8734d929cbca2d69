#include "core/io/json_text.h"

#include <algorithm>

#include "core/budget.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// The position of a byte: "line 3, column 7", counted from 1, columns in bytes.
std::string place_name(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_begin + 1);
}

/// Checks the depth, and charges the values, before parsing. Counts opening brackets and separators outside
/// of strings.
bool is_too_deep(std::string_view text, Budget& budget) {
  constexpr std::size_t bytes_per_value = 48;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      budget.take(bytes_per_value);
      if (++depth > max_nesting_depth) return true;
    } else if (c == ',' || c == ':') {
      budget.take(bytes_per_value);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<Json> parse_python_json(std::string_view text) {
  std::string quoted;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    std::string_view word = text.substr(i, 1);
    if (text[i] == '"') in_string = !in_string;
    if (in_string && text[i] == '\\') word = text.substr(i, 2);
    for (const std::string_view special : {"-Infinity", "Infinity", "NaN"}) {
      if (!in_string && text.substr(i).starts_with(special)) word = special;
    }
    const bool is_special = word.size() > 2;
    quoted += is_special ? '"' + std::string(word) + '"' : std::string(word);
    i += word.size();
  }
  return parse_json(quoted);
}

Result<Json> parse_json(std::string_view text) {
  const auto is_deep =
      within_budget(Budget(text.size()), "its JSON cannot be read", "use a smaller file",
                    [&](Budget& budget) -> Result<bool> { return is_too_deep(text, budget); });
  if (!is_deep) return tl::unexpected(is_deep.error());
  if (*is_deep)
    return failure("its JSON is nested deeper than " + std::to_string(max_nesting_depth) + " levels");
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return failure("it is not valid JSON from " + place_name(text, error.byte) + " onwards");
  } catch (const Json::out_of_range&) {
    return failure("a number in its JSON is too large");
  } catch (const Json::exception& error) {
    return failure(std::string("its JSON cannot be read: ") + error.what());
  }
}

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace headscope
