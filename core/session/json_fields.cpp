#include "core/session/json_fields.h"

#include <limits>

#include "core/io/json_text.h"

namespace headscope {
namespace {

std::string item_name(std::string list, std::size_t index) {
  list += '[';
  list += std::to_string(index);
  list += ']';
  return list;
}

}  // namespace

std::string shown(const nlohmann::json& value) {
  constexpr std::size_t max_shown = 40;
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return shortened(json_text(value), max_shown);
}

const nlohmann::json* FieldReader::find(const char* key) const {
  if (!error_.empty()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

void FieldReader::refuse(const std::string& key, const nlohmann::json& found, const std::string& expected) {
  error_ = prefix_ + key + " is " + shown(found) + ", but must be " + expected;
}

void FieldReader::flag(const char* key, bool& value) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_boolean()) return refuse(key, *found, "true or false");
  value = found->get<bool>();
}

void FieldReader::text(const char* key, std::string& value) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_string()) return refuse(key, *found, "a string");
  value = found->get<std::string>();
}

void FieldReader::number(const char* key, std::optional<int>& value, int low, int high) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  int taken = 0;
  if (found->is_null())
    value.reset();
  else if (take_number(key, *found, taken, low, high))
    value = taken;
}

void FieldReader::mask_value(const char* key, float& value) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  constexpr float most = std::numeric_limits<float>::max();
  if (*found == "inf") {
    value = MaskValue::minus_infinity;
  } else if (*found == "1e9") {
    value = MaskValue::minus_1e9;
  } else if (found->is_number() && fits(*found, -most, most)) {
    value = found->get<float>();
  } else {
    refuse(key, *found, "inf (−∞), 1e9 (−1e9) or a finite number");
  }
}

void FieldReader::stage(const char* key, StageId& value) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  const std::optional<StageId> parsed =
      found->is_string() ? parse_path(found->get<std::string>()) : std::nullopt;
  if (!parsed) return refuse(key, *found, "the path of a stage, such as \"" + path(StageId{}) + "\"");
  value = *parsed;
}

void FieldReader::texts(const char* key, std::vector<std::string>& value) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_array()) return refuse(key, *found, "a list of strings");
  value.clear();
  for (std::size_t i = 0; i < found->size(); ++i) {
    if (!(*found)[i].is_string()) return refuse(item_name(key, i), (*found)[i], "a string");
    value.push_back((*found)[i].get<std::string>());
  }
}

void FieldReader::tokens(const char* key, std::vector<int>& value, int n_tokens) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_array()) return refuse(key, *found, "a list of tokens");
  value.clear();
  for (std::size_t i = 0; i < found->size(); ++i) {
    const std::string item = item_name(key, i);
    if (!take_number(item, (*found)[i], value.emplace_back(), 0, n_tokens - 1)) return;
  }
}

void FieldReader::cells(const char* key, std::vector<Cell>& value, int n_queries, int n_keys) {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_array()) return refuse(key, *found, "a list of [query, key]");
  value.clear();
  for (std::size_t i = 0; i < found->size(); ++i) {
    const nlohmann::json& pair = (*found)[i];
    const std::string item = item_name(key, i);
    if (!pair.is_array() || pair.size() != 2) return refuse(item, pair, "a pair [query, key]");
    Cell& cell = value.emplace_back();
    if (!take_number(item_name(item, 0), pair[0], cell.query, 0, n_queries - 1)) return;
    if (!take_number(item_name(item, 1), pair[1], cell.key, 0, n_keys - 1)) return;
  }
}

}  // namespace headscope
