#include "core/session/setting_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/io/json_text.h"
#include "core/model/given_numbers.h"
#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/repair.h"
#include "core/session/settings.h"
#include "core/text/utf8.h"
#include "core/to_float.h"
#include "core/trace/given_stage.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// Returns an object that maps paths to matrices, each a list of rows. Null if nothing is given.
nlohmann::json json_of_given(const GivenNumbers& given) {
  Json object;
  for (const GivenMatrix& each : given.all) {
    Json rows = Json::array();
    for (int row = 0; row < each.numbers->rows; ++row) {
      Json numbers = Json::array();
      for (const float number : each.numbers->view().row(row)) numbers.push_back(number);
      rows.push_back(std::move(numbers));
    }
    object[each.path] = std::move(rows);
  }
  return object;
}

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

constexpr std::string_view architecture_keys = "architecture.";

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

/// Describes why a value could not be read: what was found, and what it must be.
struct Refusal {
  /// The item of a list, such as "[2]".
  std::string item;
  const Json* found = nullptr;
  std::string expected;
};
using Taken = std::optional<Refusal>;

template <class Number>
bool fits(const Json& found, Number low, Number high) {
  if constexpr (std::is_floating_point_v<Number>) {
    return found.is_number() && found.get<double>() >= low && found.get<double>() <= high;
  } else {
    if (!found.is_number_integer()) return false;
    return found.is_number_unsigned() ? std::cmp_less_equal(found.get<std::uint64_t>(), high) &&
                                            std::cmp_greater_equal(found.get<std::uint64_t>(), low)
                                      : std::cmp_less_equal(found.get<std::int64_t>(), high) &&
                                            std::cmp_greater_equal(found.get<std::int64_t>(), low);
  }
}

template <class Number>
Taken take_number(const Json& found, Number& value, Number low, Number high, const std::string& item = "") {
  if (fits(found, low, high)) {
    value = found.get<Number>();
    return {};
  }
  if (high < low) return Refusal{item, &found, "null, because there is nothing to count"};
  const char* kind = std::is_floating_point_v<Number> ? "a number" : "a whole number";
  return Refusal{item, &found, kind + (" from " + Json(low).dump()) + " to " + Json(high).dump()};
}

std::string item_name(std::size_t index) {
  return '[' + std::to_string(index) + ']';
}

/// Describes an error in such an object.
struct WrongGiven {
  std::string item;  ///< Such as ".encoder.input[2][1]".
  const nlohmann::json* found = nullptr;
  std::string expected;
};

std::string index_text(std::size_t index) {
  return '[' + std::to_string(index) + ']';
}

/// Reads rows of equal length with finite numbers.
std::optional<WrongGiven> take_matrix(const Json& rows, const std::string& item, OwnedMatrix& matrix) {
  if (!rows.is_array() || rows.empty()) return WrongGiven{item, &rows, "a list of rows"};
  const std::size_t width = rows.front().is_array() ? rows.front().size() : 0;
  std::vector<float> numbers;
  numbers.reserve(rows.size() * width);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Json& row = rows[r];
    if (!row.is_array() || row.empty() || row.size() != width)
      return WrongGiven{item + index_text(r), &row, "a list of numbers, as many in every row"};
    for (std::size_t c = 0; c < width; ++c) {
      const float number = row[c].is_number() ? to_float(row[c].get<double>()) : NAN;
      if (!std::isfinite(number))
        return WrongGiven{item + index_text(r) + index_text(c), &row[c], "a finite number"};
      numbers.push_back(number);
    }
  }
  matrix.rows = static_cast<int>(rows.size());
  matrix.cols = static_cast<int>(width);
  matrix.values = std::move(numbers);
  return {};
}

/// Reads given numbers from an object. If anything is wrong, returns the error and reads nothing. It does not
/// check whether the model has the places and whether the sizes fit.
std::optional<WrongGiven> take_given(const nlohmann::json& object, GivenNumbers& given) {
  if (!object.is_object()) return WrongGiven{"", &object, "an object of matrices by their paths"};
  GivenNumbers taken;
  for (const auto& [path, rows] : object.items()) {
    const auto id = parse_path(path);
    if (!id || !can_be_given(id->kind))
      return WrongGiven{"." + path, &rows, "left out: no numbers can be given for this path"};
    OwnedMatrix matrix;
    if (auto wrong = take_matrix(rows, "." + path, matrix)) return wrong;
    taken = with_given(std::move(taken), {path, std::make_shared<const OwnedMatrix>(std::move(matrix))});
  }
  given = std::move(taken);
  return {};
}

/// Reads the value that was found for a setting into a session.
class FieldReader {
 public:
  FieldReader(const Json& found, Session& session) : found_(found), session_(session) {}

  Taken operator()(const field::Whole& f) const {
    return take_number(found_, f.value.write(session_), f.low, f.last ? f.last(session_) : f.high);
  }
  Taken operator()(const field::OptionalWhole& f) const {
    std::optional<int> value;
    if (!found_.is_null()) {
      const int high = f.last ? f.last(session_) : f.high;
      if (auto refused = take_number(found_, value.emplace(), f.low, high)) return refused;
    }
    f.value.write(session_) = value;
    return {};
  }
  Taken operator()(const field::Seed& f) const {
    return take_number(found_, f.value.write(session_), std::uint64_t{0},
                       std::numeric_limits<std::uint64_t>::max());
  }
  Taken operator()(const field::Decimal& f) const {
    return take_number(found_, f.value.write(session_), f.low, f.high);
  }
  Taken operator()(const field::Bound& f) const {
    return take_number(found_, f.value.write(session_), f.lowest(session_), f.high);
  }
  Taken operator()(const field::Flag& f) const { return take_flag(f.value); }
  Taken operator()(const field::NamedFlag& f) const { return take_flag(f.value); }
  Taken operator()(const field::Choice& f) const {
    std::string expected;
    for (std::size_t i = 0; i < f.names.size(); ++i) {
      if (found_.is_string() && found_ == f.names[i]) {
        f.write(session_, i);
        return {};
      }
      expected += (i == 0 ? "" : ", ") + std::string(f.names[i]);
    }
    return Refusal{"", &found_, "one of " + expected};
  }
  Taken operator()(const field::Text& f) const {
    if (!found_.is_string()) return Refusal{"", &found_, "a string"};
    f.value.write(session_) = found_.get<std::string>();
    return {};
  }
  Taken operator()(const field::Texts& f) const {
    if (!found_.is_array()) return Refusal{"", &found_, "a list of strings"};
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (!found_[i].is_string()) return Refusal{item_name(i), &found_[i], "a string"};
      texts.push_back(found_[i].get<std::string>());
    }
    f.value.write(session_) = std::move(texts);
    return {};
  }
  Taken operator()(const field::HiddenValue& f) const {
    constexpr float most = std::numeric_limits<float>::max();
    float& value = f.value.write(session_);
    if (found_ == "inf") {
      value = MaskValue::minus_infinity;
    } else if (found_ == "1e9") {
      value = MaskValue::minus_1e9;
    } else if (found_.is_number() && fits(found_, -most, most)) {
      value = to_float(found_.get<double>());
    } else {
      return Refusal{"", &found_, "inf (−∞), 1e9 (−1e9) or a finite number"};
    }
    return {};
  }
  Taken operator()(const field::Tokens& f) const {
    if (!found_.is_array()) return Refusal{"", &found_, "a list of tokens"};
    std::vector<int> tokens(found_.size());
    const int last_key = last(f.keys);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      auto refused = take_number(found_[i], tokens[i], 0, last_key, item_name(i));
      if (refused) return refused;
    }
    f.value.write(session_) = std::move(tokens);
    return {};
  }
  Taken operator()(const field::Cells& f) const {
    if (!found_.is_array()) return Refusal{"", &found_, "a list of [query, key]"};
    std::vector<Cell> cells(found_.size());
    const int last_query = last(f.queries);
    const int last_key = last(f.keys);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Json& pair = found_[i];
      const std::string item = item_name(i);
      if (!pair.is_array() || pair.size() != 2) return Refusal{item, &pair, "a pair [query, key]"};
      auto refused = take_number(pair[0], cells[i].query, 0, last_query, item + "[0]");
      if (!refused) refused = take_number(pair[1], cells[i].key, 0, last_key, item + "[1]");
      if (refused) return refused;
    }
    f.value.write(session_) = std::move(cells);
    return {};
  }
  Taken operator()(const field::Heads& f) const {
    if (!found_.is_array()) return Refusal{"", &found_, "a list of heads, such as \"1.2\""};
    std::vector<HeadPlace> heads;
    heads.reserve(found_.size());
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const auto place = found_[i].is_string() ? head_named(found_[i].get<std::string>()) : std::nullopt;
      if (!place) return Refusal{item_name(i), &found_[i], "layer and head, such as \"1.2\""};
      heads.push_back(*place);
    }
    f.value.write(session_) = std::move(heads);
    return {};
  }
  Taken operator()(const field::Stage& f) const {
    const auto stage = stage_in(found_);
    if (!stage) return not_a_stage("", found_);
    f.value.write(session_) = stage->kind;
    return {};
  }
  Taken operator()(const field::PinnedCell& f) const {
    std::optional<Pin> pin;
    if (!found_.is_null()) {
      if (auto refused = take_pin(pin.emplace())) return refused;
    }
    f.value.write(session_) = pin;
    return {};
  }
  Taken operator()(const field::Given& f) const {
    const auto wrong = take_given(found_, f.value.write(session_));
    return wrong ? Taken(Refusal{wrong->item, wrong->found, wrong->expected}) : Taken();
  }
  Taken operator()(const field::Notation& f) const {
    if (!found_.is_string()) return Refusal{"", &found_, "a string"};
    const auto taken = f.write(session_, found_.get<std::string>());
    return taken ? Taken() : Refusal{"", &found_, "a list in which " + taken.error().message};
  }
  /// These values are only named in the JSON and stay in their files.
  Taken operator()(const field::MaskFiles&) const { return {}; }
  Taken operator()(const field::Weights&) const { return {}; }

 private:
  Taken take_flag(const Place<bool>& value) const {
    if (!found_.is_boolean()) return Refusal{"", &found_, "true or false"};
    value.write(session_) = found_.get<bool>();
    return {};
  }
  static std::optional<StageId> stage_in(const Json& found) {
    return found.is_string() ? parse_path(found.get<std::string>()) : std::nullopt;
  }
  static Taken not_a_stage(const std::string& item, const Json& found) {
    return Refusal{item, &found, "the path of a stage, such as \"" + path(StageId{}) + "\""};
  }
  /// The size of the stage depends on weights that may be missing. repaired() drops a pin without a cell.
  Taken take_pin(Pin& pin) const {
    if (!found_.is_object()) return Refusal{"", &found_, "an object"};
    if (const auto stage = found_.find("stage"); stage != found_.end()) {
      const auto id = stage_in(*stage);
      if (!id) return not_a_stage(".stage", *stage);
      pin.stage = *id;
    }
    constexpr int any = std::numeric_limits<int>::max();
    for (const auto& [name, index] : {std::pair(".row", &pin.row), std::pair(".col", &pin.col)}) {
      const auto number = found_.find(name + 1);
      if (number == found_.end()) continue;
      if (auto refused = take_number(*number, *index, 0, any, name)) return refused;
    }
    return {};
  }
  int last(field::Counted counted) const {
    const bool is_source = counted == field::Counted::source;
    session_.texts = texts_of(session_);
    return (is_source ? n_source_tokens(session_) : n_target_tokens(session_)) - 1;
  }

  const Json& found_;
  Session& session_;
};

std::string refusal(std::string_view key, const Json& found, const std::string& expected) {
  return std::string(key) + " is " + shown(found) + ", but must be " + expected;
}

/// Returns the message about a setting's value. Empty if the value was read or there is none.
std::string read_setting(const Setting& setting, std::string_view key, const Json& root, Session& session) {
  const Json* found = &root;
  for (std::size_t begin = 0; begin <= key.size();) {
    if (!found->is_object()) return refusal(key.substr(0, begin - 1), *found, "an object");
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const auto member = found->find(std::string(key.substr(begin, end - begin)));
    if (member == found->end()) return {};
    found = &*member;
    begin = end + 1;
  }
  const Taken refused = std::visit(FieldReader(*found, session), setting.field);
  return refused ? refusal(std::string(key) + refused->item, *refused->found, refused->expected) : "";
}

std::string unread_field_in(const Json& object, const std::string& prefix) {
  for (const auto& field : object.items()) {
    const std::string key = prefix + field.key();
    const auto* const setting = std::ranges::find(all_settings, key, &Setting::key);
    const bool is_setting = setting != std::end(all_settings) && field.key().find('.') == std::string::npos;
    if (is_setting) {
      const bool is_elsewhere = std::holds_alternative<field::MaskFiles>(setting->field) ||
                                std::holds_alternative<field::Weights>(setting->field);
      if (is_elsewhere) return key;
      continue;
    }
    const bool is_group = std::ranges::any_of(
        all_settings, [&](const Setting& each) { return each.key.starts_with(key + "."); });
    if (!is_group || !field.value().is_object()) return key;
    if (std::string unread = unread_field_in(field.value(), key + "."); !unread.empty()) return unread;
  }
  return {};
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

std::string shown(const nlohmann::json& value) {
  constexpr std::size_t max_shown = 40;
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return shortened(json_text(value), max_shown);
}

std::string unread_field(const Json& object) {
  return unread_field_in(object, "");
}

std::string read_settings(const Json& object, std::string_view prefix, Session& session) {
  for (const Setting& setting : all_settings) {
    if (!setting.key.starts_with(prefix)) continue;
    std::string message = read_setting(setting, setting.key.substr(prefix.size()), object, session);
    if (!message.empty()) return message;
  }
  return {};
}

std::string read_subject(const Json& object, Session& session) {
  for (const Setting& setting : all_settings) {
    if (!is_of_subject(setting)) continue;
    std::string message = read_setting(setting, setting.key, object, session);
    if (!message.empty()) return message;
  }
  return {};
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
  Session session;
  const std::string error = read_settings(json, architecture_keys, session);
  if (!error.empty()) return failure("the architecture cannot be read: " + error);
  if (auto ok = validate(session.architecture); !ok) return tl::unexpected(ok.error());
  return session.architecture;
}

}  // namespace headscope
