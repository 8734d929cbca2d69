#include "core/session/setting_json.h"

#include <optional>

#include "core/io/json_text.h"
#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/given_json.h"
#include "core/session/settings.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// Finds the object that the beginning of a key's path names and leaves the last part in `key`, such as
/// "attention.target_mask" and "causal".
Json& object_of(Json& root, std::string_view& key) {
  Json* object = &root;
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
    object = &(*object)[std::string(key.substr(0, dot))];
    key.remove_prefix(dot + 1);
  }
  return *object;
}

Json json_of_masks(const std::vector<std::shared_ptr<const LoadedMask>>& masks) {
  Json list = Json::array();
  for (const auto& mask : masks) {
    list.push_back({{"name", mask->name},
                    {"axes", mask->axes},
                    {"shape", {mask->n_sequences, mask->n_heads, mask->rows, mask->cols}}});
  }
  return list;
}

Json json_of_cells(const std::vector<Cell>& cells) {
  Json list = Json::array();
  for (const Cell& cell : cells) list.push_back({cell.query, cell.key});
  return list;
}

Json json_of_heads(const std::vector<HeadPlace>& heads) {
  Json list = Json::array();
  for (const HeadPlace& place : heads) list.push_back(head_name(place));
  return list;
}

Json json_of_pin(const std::optional<Pin>& pin) {
  if (!pin) return nullptr;
  return {{"stage", path(pin->stage)}, {"row", pin->row}, {"col", pin->col}};
}

/// Returns null if nothing is to be written.
Json json_of(const Setting& setting, const Session& session) {
  const Overloaded write{
      [&](const field::Choice& f) { return Json(f.names[f.read(session)]); },
      [&](const field::Text& f) { return Json(valid_utf8(f.value.read(session))); },
      [&](const field::Texts& f) {
        Json list = Json::array();
        for (const std::string& text : f.value.read(session)) list.push_back(valid_utf8(text));
        return list;
      },
      [&](const field::OptionalWhole& f) {
        const std::optional<int>& value = f.value.read(session);
        return value ? Json(*value) : Json();
      },
      [&](const field::HiddenValue& f) {
        const float value = f.value.read(session);
        return value == MaskValue::minus_infinity ? Json("inf") : Json(value);
      },
      [&](const field::Cells& f) { return json_of_cells(f.value.read(session)); },
      [&](const field::Heads& f) { return json_of_heads(f.value.read(session)); },
      [&](const field::Stage& f) { return Json(path(normalized({f.value.read(session)}))); },
      [&](const field::PinnedCell& f) { return json_of_pin(f.value.read(session)); },
      [&](const field::Given& f) { return json_of_given(f.value.read(session)); },
      [&](const field::Notation& f) { return Json(f.read(session)); },
      [&](const field::MaskFiles& f) { return json_of_masks(f.value.read(session)); },
      [&](const field::Weights& f) {
        const auto& model = f.value.read(session);
        return model && !model->name.empty() ? Json(model->name) : Json();
      },
      [&](const auto& f) { return Json(f.value.read(session)); },
  };
  return std::visit(write, setting.field);
}

}  // namespace

namespace {

void write_setting(const Setting& setting, const Session& session, std::string_view key, Json& object) {
  Json value = json_of(setting, session);
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

}  // namespace

void write_settings(const Session& session, std::string_view prefix, Json& object) {
  for (const Setting& setting : all_settings) {
    if (!setting.key.starts_with(prefix)) continue;
    write_setting(setting, session, setting.key.substr(prefix.size()), object);
  }
}

void write_subject(const Session& session, Json& object) {
  for (const Setting& setting : all_settings) {
    if (is_of_subject(setting)) write_setting(setting, session, setting.key, object);
  }
}

}  // namespace headscope
