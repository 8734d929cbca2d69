#include "core/session/json_fields.h"

#include <limits>
#include <utility>

#include "core/session/setting_value.h"

namespace headscope {

using Json = nlohmann::json;

JsonFields::JsonFields(const Json& object, std::string prefix) : object_(object), prefix_(std::move(prefix)) {
  if (object.is_object()) return;
  const std::string whole = prefix_.empty() ? "the file" : prefix_.substr(0, prefix_.rfind('.'));
  reject(whole + " is " + shown(object) + ", but must be an object");
}

void JsonFields::reject_unread_fields() const {
  for (const auto& field : object_.items()) {
    if (!read_keys_.contains(field.key()))
      reject(name(field.key().c_str()) + " is not allowed here: correct its name, or remove it");
  }
}

void JsonFields::reject(const char* key, const Json* found, const std::string& expected) const {
  reject(name(key) + (found == nullptr ? " is missing" : " is " + shown(*found)) + ", but must be " +
         expected);
}

const Json* JsonFields::find(const char* key) const {
  read_keys_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

JsonFields JsonFields::inside(const char* key) const {
  static const Json nothing = Json::object();
  const Json* found = find(key);
  return {found == nullptr ? nothing : *found, name(key) + "."};
}

std::vector<JsonFields> JsonFields::objects(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr || !found->is_array()) return {inside(key)};
  std::vector<JsonFields> all;
  all.reserve(found->size());
  for (std::size_t i = 0; i < found->size(); ++i)
    all.emplace_back((*found)[i], name(key) + "[" + std::to_string(i) + "].");
  return all;
}

std::string JsonFields::text(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr || !found->is_string()) reject(key, found, "a text");
  return found->get<std::string>();
}

int JsonFields::whole(const char* key, int missing, int low, int high) const {
  const Json* found = find(key);
  if (found == nullptr) return missing;
  if (found->is_number_integer() && *found >= low && *found <= high) return found->get<int>();
  reject(key, found, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

double JsonFields::number(const char* key, double missing) const {
  const Json* found = find(key);
  if (found == nullptr) return missing;
  if (found->is_number()) return found->get<double>();
  reject(key, found, "a number");
}

bool JsonFields::flag(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr) return false;
  if (found->is_boolean()) return found->get<bool>();
  reject(key, found, "true or false");
}

std::vector<std::string> JsonFields::texts(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr) return {};
  const Json list = found->is_array() ? *found : Json::array({*found});
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const Json& each : list) {
    if (!each.is_string()) reject(key, found, "a text or a list of texts");
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

std::vector<int> JsonFields::indices(const char* key) const {
  std::vector<int> indices;
  const Json found = list(key);
  if (find(key) != nullptr && found.empty())
    reject(key, &found, "a list of at least one whole number from 0 on");
  indices.reserve(found.size());
  for (const Json& each : found) {
    if (!each.is_number_integer() || each < 0 || each > std::numeric_limits<int>::max())
      reject(key, &found, "a list of nothing but whole numbers from 0 on");
    indices.push_back(each.get<int>());
  }
  return indices;
}

Json JsonFields::object(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr) return Json::object();
  if (found->is_object()) return *found;
  reject(key, found, "an object");
}

Json JsonFields::list(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr) return Json::array();
  if (found->is_array()) return *found;
  reject(key, found, "a list");
}

}  // namespace headscope
