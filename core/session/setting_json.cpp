#include "core/session/setting_json.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/session/setting_value.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// Finds the object of a key's path and leaves its last part in `key`, such as "attention.target_mask" and
/// "causal".
Json& object_of(Json& root, std::string_view& key) {
  Json* object = &root;
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
    object = &(*object)[std::string(key.substr(0, dot))];
    key.remove_prefix(dot + 1);
  }
  return *object;
}

constexpr std::string_view architecture_keys = "architecture.";

void write_setting(const Setting& setting, const Session& session, std::string_view key, Json& object) {
  Json value = value_of(setting, session);
  Json& group = object_of(object, key);
  const bool is_list = std::holds_alternative<field::MaskFiles>(setting.field);
  const bool is_missing = value.is_null() && (std::holds_alternative<field::Weights>(setting.field) ||
                                              std::holds_alternative<field::Given>(setting.field));
  if (is_list) {
    for (Json& mask : value) group[std::string(key)].push_back(std::move(mask));
  } else if (!is_missing) {
    group[std::string(key)] = std::move(value);
  }
}

[[noreturn]] void reject(const std::string& key, const std::string& found, const std::string& expected) {
  refuse(failure(key + " is " + found + ", but must be " + expected));
}

void read_setting(const Setting& setting, std::string_view key, const Json& root, Session& session) {
  const Json* found = &root;
  for (std::size_t begin = 0; begin <= key.size();) {
    if (!found->is_object()) reject(std::string(key.substr(0, begin - 1)), shown(*found), "an object");
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const auto member = found->find(std::string(key.substr(begin, end - begin)));
    if (member == found->end()) return;
    found = &*member;
    begin = end + 1;
  }
  const std::optional<InvalidValue> refused = assign_value(setting, *found, session);
  if (refused) reject(std::string(key) + refused->item, refused->found, refused->expected);
}

}  // namespace

void reject_unread_settings(const Json& object, const std::string& prefix) {
  for (const auto& field : object.items()) {
    const std::string key = prefix + field.key();
    const auto* const setting = std::ranges::find(all_settings, key, &Setting::key);
    const bool is_setting = setting != std::end(all_settings) && field.key().find('.') == std::string::npos;
    const bool is_group =
        field.value().is_object() && std::ranges::any_of(all_settings, [&](const Setting& each) {
          return each.key.starts_with(key + ".");
        });
    if (is_setting ? is_stored_by_name(*setting) : !is_group)
      refuse(failure("the session's " + key + " is not allowed here: correct its name, or remove it"));
    if (!is_setting) reject_unread_settings(field.value(), key + ".");
  }
}

void write_settings(const Session& session, std::string_view prefix, Json& object,
                    bool (*belongs)(const Setting&)) {
  for (const Setting& setting : all_settings) {
    if (!setting.key.starts_with(prefix) || (belongs != nullptr && !belongs(setting))) continue;
    write_setting(setting, session, setting.key.substr(prefix.size()), object);
  }
}

void read_settings(const Json& object, std::string_view prefix, Session& session,
                   bool (*belongs)(const Setting&)) {
  for (const Setting& setting : all_settings) {
    if (!setting.key.starts_with(prefix) || (belongs != nullptr && !belongs(setting))) continue;
    read_setting(setting, setting.key.substr(prefix.size()), object, session);
  }
}

nlohmann::json architecture_to_json(const Architecture& architecture) {
  Session session;
  session.architecture = architecture;
  nlohmann::json json = nlohmann::json::object();
  write_settings(session, architecture_keys, json);
  return json;
}

Result<Architecture> architecture_from_json(const nlohmann::json& json) {
  if (!json.is_object()) return failure("the architecture is not a JSON object");
  return result_of("the architecture cannot be read: ",
                   [&] {
                     Session session;
                     read_settings(json, architecture_keys, session);
                     return session.architecture;
                   })
      .and_then([](Architecture read) { return validate(read).map([&] { return std::move(read); }); });
}

}  // namespace headscope
