#include "core/session/setting_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/exact_text.h"
#include "core/io/json_text.h"
#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/repair.h"
#include "core/session/settings.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/to_float.h"
#include "core/trace/given_stage.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// Returns an object that maps paths to matrices, each a list of rows. Null if nothing is given.
Json json_of_given(const GivenNumbers& given) {
  Json object;
  for (const GivenMatrix& each : given.all) {
    Json rows = Json::array();
    for (int row = 0; row < each.numbers->rows; ++row) rows.push_back(each.numbers->view().row(row));
    object[each.path] = std::move(rows);
  }
  return object;
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

Json json_of_heads(const std::vector<HeadIndex>& heads) {
  Json list = Json::array();
  for (const HeadIndex& place : heads) list.push_back(head_name(place));
  return list;
}

Json json_of_pin(const std::optional<Pin>& pin) {
  if (!pin) return nullptr;
  return {{"stage", path(pin->stage)}, {"row", pin->row}, {"col", pin->col}};
}

constexpr std::string_view no_value = "none";
constexpr std::string_view hidden_by_infinity = "inf";
constexpr std::string_view hidden_by_1e9 = "1e9";

std::string item_name(std::size_t index) {
  return '[' + std::to_string(index) + ']';
}

/// Reads a JSON value of a setting into a session.
class FieldReader {
 public:
  using Taken = std::optional<InvalidValue>;

  FieldReader(const Json& found, Session& session) : found_(found), session_(session) {}

  Taken operator()(const field::Integer& f) const {
    return take_number(found_, f.value.write(session_), f.low, f.last ? f.last(session_) : f.high);
  }
  Taken operator()(const field::OptionalInteger& f) const {
    std::optional<int> value;
    if (!found_.is_null()) {
      auto refused = take_number(found_, value.emplace(), f.low, f.last ? f.last(session_) : f.high);
      if (refused && !f.none.empty()) refused->expected += ", or " + std::string(f.none);
      if (refused) return refused;
    }
    f.value.write(session_) = value;
    return {};
  }
  Taken operator()(const field::Seed& f) const {
    return take_number(found_, f.value.write(session_), std::uint64_t{0},
                       std::numeric_limits<std::uint64_t>::max());
  }
  template <class Number>
  Taken operator()(const field::Decimal<Number>& f) const {
    return take_number(found_, f.value.write(session_), f.min_for(session_), f.high);
  }
  Taken operator()(const field::Flag& f) const { return take_flag(f.value); }
  Taken operator()(const field::NamedFlag& f) const { return take_flag(f.value); }
  Taken operator()(const field::Choice& f) const {
    for (std::size_t i = 0; i < f.names.size(); ++i) {
      if (!(found_.is_string() && found_ == f.names[i])) continue;
      f.write(session_, i);
      return {};
    }
    return refused("one of " + join_texts(f.names, ", "));
  }
  Taken operator()(const field::Text& f) const {
    if (!found_.is_string()) return refused("a string");
    f.value.write(session_) = found_.get<std::string>();
    return {};
  }
  Taken operator()(const field::Texts& f) const {
    if (!found_.is_array()) return refused("a list of strings");
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (!found_[i].is_string()) return refused(item_name(i), found_[i], "a string");
    f.value.write(session_) = found_.get<std::vector<std::string>>();
    return {};
  }
  Taken operator()(const field::HiddenValue& f) const {
    constexpr float most = std::numeric_limits<float>::max();
    float& value = f.value.write(session_);
    if (found_ == hidden_by_infinity) {
      value = MaskValue::minus_infinity;
    } else if (found_ == hidden_by_1e9) {
      value = MaskValue::minus_1e9;
    } else if (take_number(found_, value, -most, most)) {
      return refused("inf (−∞), 1e9 (−1e9) or a number, such as -10000 or 0");
    }
    return {};
  }
  Taken operator()(const field::Tokens& f) const {
    const int last_key = last(f.keys);
    return take_list("a list of tokens", f.value,
                     [&](const Json& found, int& token, const std::string& item) {
                       return take_number(found, token, 0, last_key, item);
                     });
  }
  Taken operator()(const field::Cells& f) const {
    const int last_query = last(f.queries);
    const int last_key = last(f.keys);
    return take_list("a list of [query, key]", f.value,
                     [&](const Json& pair, Cell& cell, const std::string& item) -> Taken {
                       if (!pair.is_array() || pair.size() != 2)
                         return refused(item, pair, "a pair [query, key]");
                       auto wrong = take_number(pair[0], cell.query, 0, last_query, item + "[0]");
                       return wrong ? wrong : take_number(pair[1], cell.key, 0, last_key, item + "[1]");
                     });
  }
  Taken operator()(const field::Heads& f) const {
    std::vector<HeadIndex> heads;
    if (found_.is_string()) return take_heads_text(found_.get<std::string>(), f.value);
    if (!found_.is_array()) return refused("a list of heads, such as \"1.2\"");
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const auto place = found_[i].is_string() ? parse_head_name(found_[i].get<std::string>()) : std::nullopt;
      if (!place) return refused(item_name(i), found_[i], "layer and head, such as \"1.2\"");
      heads.push_back(*place);
    }
    f.value.write(session_) = std::move(heads);
    return {};
  }
  Taken operator()(const field::Stage& f) const {
    const auto named = found_.is_string() ? parse_stage_kind(found_.get<std::string>()) : std::nullopt;
    const auto stage = stage_in(found_);
    if (!named && !stage)
      return refused("the name of a stage, such as query, or its path; “headscope info” lists them");
    f.value.write(session_) = named ? *named : stage->kind;
    return {};
  }
  Taken operator()(const field::PinnedCell& f) const {
    std::optional<Pin> pin;
    if (found_.is_string() && found_ != no_value) {
      if (auto wrong = take_pin_text(found_.get<std::string>(), pin.emplace())) return wrong;
    } else if (!found_.is_null() && found_ != no_value) {
      if (auto wrong = take_pin(pin.emplace())) return wrong;
    }
    f.value.write(session_) = pin;
    return {};
  }
  /// Reads given numbers from an object. Does not check that the model has their stages and that the sizes
  /// fit.
  Taken operator()(const field::Given& f) const {
    if (!found_.is_object() && !found_.is_null()) return refused("an object of matrices by their paths");
    GivenNumbers taken;
    for (const auto& [path, rows] : found_.items()) {
      const auto id = parse_path(path);
      if (!id || !can_be_given(id->kind))
        return refused("." + path, rows, "left out: no numbers can be given for this path");
      OwnedMatrix matrix;
      if (auto wrong = take_matrix(rows, "." + path, matrix)) return wrong;
      taken = with_given(std::move(taken), {path, std::make_shared<const OwnedMatrix>(std::move(matrix))});
    }
    f.value.write(session_) = std::move(taken);
    return {};
  }
  Taken operator()(const field::Notation& f) const {
    if (!found_.is_string()) return refused("a string");
    const auto taken = result_of([&] { f.write(session_, found_.get<std::string>()); });
    return taken ? Taken() : refused("a list in which " + taken.error().message);
  }
  Taken operator()(const field::MaskFiles&) const { return {}; }
  Taken operator()(const field::Weights&) const { return {}; }

 private:
  static InvalidValue refused(std::string item, const Json& found, std::string expected) {
    return {std::move(item), shown(found), std::move(expected)};
  }
  InvalidValue refused(std::string expected) const { return refused("", found_, std::move(expected)); }

  template <class Number>
  static Taken take_number(const Json& found, Number& value, Number low, Number high,
                           const std::string& item = "") {
    if constexpr (std::is_floating_point_v<Number>) {
      // A limit has the type that stores the number, so 0.1 must count as within a limit of 0.1F.
      constexpr double rounding = 1e-6;
      const auto least = static_cast<double>(low), most = static_cast<double>(high);
      const double number = found.is_number() ? found.get<double>() : NAN;
      if (number >= least - std::abs(least) * rounding && number <= most + std::abs(most) * rounding) {
        value = static_cast<Number>(std::clamp(number, least, most));
        return {};
      }
    } else if (found.is_number_integer()) {
      const bool fits = found.is_number_unsigned() ? is_within(found.get<std::uint64_t>(), low, high)
                                                   : is_within(found.get<std::int64_t>(), low, high);
      if (fits) {
        value = found.get<Number>();
        return {};
      }
    }
    if (high < low) return refused(item, found, "null, because there is nothing to count");
    const char* kind = std::is_floating_point_v<Number> ? "a number" : "a whole number";
    return refused(item, found, kind + (" from " + limit(low)) + " to " + limit(high));
  }
  template <class Given, class Number>
  static bool is_within(Given number, Number low, Number high) {
    return std::cmp_greater_equal(number, low) && std::cmp_less_equal(number, high);
  }
  template <class Number>
  static std::string limit(Number number) {
    constexpr int digits = 6;
    if constexpr (std::is_same_v<Number, float>) return exact_text(number);
    if constexpr (std::is_same_v<Number, double>) return number_text(number, digits);
    return std::to_string(number);
  }

  /// Reads a list, or null for an empty one, item by item.
  template <class Item, class Take>
  Taken take_list(const char* expected, const Accessor<std::vector<Item>>& place, const Take& take) const {
    if (!found_.is_array() && !found_.is_null()) return refused(expected);
    std::vector<Item> items(found_.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      if (auto wrong = take(found_[i], items[i], item_name(i))) return wrong;
    place.write(session_) = std::move(items);
    return {};
  }

  /// Reads rows of equal length with finite numbers.
  static Taken take_matrix(const Json& rows, const std::string& item, OwnedMatrix& matrix) {
    if (!rows.is_array() || rows.empty()) return refused(item, rows, "a list of rows");
    const std::size_t width = rows.front().is_array() ? rows.front().size() : 0;
    std::vector<float> numbers;
    numbers.reserve(rows.size() * width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Json& row = rows[r];
      if (!row.is_array() || row.empty() || row.size() != width)
        return refused(item + item_name(r), row, "a list of numbers, as many in every row");
      for (std::size_t c = 0; c < width; ++c) {
        const float number = row[c].is_number() ? to_float(row[c].get<double>()) : NAN;
        if (!std::isfinite(number))
          return refused(item + item_name(r) + item_name(c), row[c], "a finite number");
        numbers.push_back(number);
      }
    }
    matrix.rows = static_cast<int>(rows.size());
    matrix.cols = static_cast<int>(width);
    matrix.values = std::move(numbers);
    return {};
  }
  Taken take_flag(const Accessor<bool>& value) const {
    if (!found_.is_boolean()) return refused("true or false");
    value.write(session_) = found_.get<bool>();
    return {};
  }
  Taken take_heads_text(const std::string& text, const Accessor<std::vector<HeadIndex>>& value) const {
    std::vector<HeadIndex> heads;
    const int layers = last_layer(session_), last_of_layer = last_head(session_);
    for (const std::string_view word :
         text == no_value ? std::vector<std::string_view>() : split_text(text, ',')) {
      const auto place = parse_head_name(word);
      if (!place || place->layer > layers || place->head > last_of_layer) {
        return refused("none, or LAYER.HEAD separated by commas, such as 0.0,0.1: layers are 0 to " +
                       std::to_string(layers) + ", heads 0 to " + std::to_string(last_of_layer));
      }
      heads.push_back(*place);
    }
    value.write(session_) = std::move(heads);
    return {};
  }
  static std::optional<StageId> stage_in(const Json& found) {
    return found.is_string() ? parse_path(found.get<std::string>()) : std::nullopt;
  }
  static Taken not_a_stage(const std::string& item, const Json& found) {
    return refused(item, found, "the path of a stage, such as \"" + path(StageId{}) + "\"");
  }
  /// The size of the stage depends on weights that may be missing. repaired() drops a pin without a cell.
  Taken take_pin(Pin& pin) const {
    if (!found_.is_object()) return refused("an object");
    if (const auto stage = found_.find("stage"); stage != found_.end()) {
      const auto id = stage_in(*stage);
      if (!id) return not_a_stage(".stage", *stage);
      pin.stage = *id;
    }
    constexpr int any = std::numeric_limits<int>::max();
    for (const auto& [name, index] : {std::pair(".row", &pin.row), std::pair(".col", &pin.col)}) {
      const auto number = found_.find(name + 1);
      if (number == found_.end()) continue;
      if (auto wrong = take_number(*number, *index, 0, any, name)) return wrong;
    }
    return {};
  }
  Taken take_pin_text(std::string_view text, Pin& pin) const {
    const std::size_t colon = text.find(':');
    const auto stage = parse_path(text.substr(0, colon));
    const auto cell = split_text(text.substr(std::min(colon, text.size() - 1) + 1), '.');
    const auto row = parse_exact<int>(cell.front());
    const auto column = parse_exact<int>(cell.back());
    if (!stage || cell.size() != 2 || !row || !column)
      return refused("none or PATH:ROW.COLUMN, such as encoder.layers.0.self.heads.1.weights:3.5");
    pin = {*stage, *row, *column};
    return {};
  }
  int last(Stack count_text) const {
    const bool is_source = count_text == Stack::encoder;
    session_.texts = texts_of(session_);
    return (is_source ? n_source_tokens(session_) : n_target_tokens(session_)) - 1;
  }

  const Json& found_;
  Session& session_;
};

/// Parses a text as a number if it is one; otherwise, the text itself.
Json number_in(std::string_view text) {
  if (const auto whole = parse_exact<std::int64_t>(text)) return *whole;
  if (const auto whole = parse_exact<std::uint64_t>(text)) return *whole;
  if (const auto number = parse_exact<double>(text)) return *number;
  return text;
}

Json switch_in(std::string_view text, std::string_view off, std::string_view on) {
  if (text == off || text == "false") return false;
  if (text == on || text == "true") return true;
  return text;
}

Json list_in(std::string_view text) {
  Json list = Json::parse(text, nullptr, false);
  return list.is_discarded() ? Json(text) : list;
}

}  // namespace

bool is_stored_by_name(const Setting& setting) {
  return std::holds_alternative<field::MaskFiles>(setting.field) ||
         std::holds_alternative<field::Weights>(setting.field);
}

Json value_of(const Setting& setting, const Session& session) {
  const Overloaded write{
      [&](const field::Choice& f) { return Json(f.names[f.read(session)]); },
      [&](const field::Text& f) { return Json(valid_utf8(f.value.read(session))); },
      [&](const field::Texts& f) {
        Json list = Json::array();
        for (const std::string& text : f.value.read(session)) list.push_back(valid_utf8(text));
        return list;
      },
      [&](const field::OptionalInteger& f) {
        const std::optional<int>& value = f.value.read(session);
        return value ? Json(*value) : Json();
      },
      [&](const field::HiddenValue& f) {
        const float value = f.value.read(session);
        return value == MaskValue::minus_infinity ? Json(hidden_by_infinity) : Json(value);
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

std::optional<InvalidValue> assign_value(const Setting& setting, const Json& value, Session& session) {
  return std::visit(FieldReader(value, session), setting.field);
}

std::string value_text(const Setting& setting, const Session& session) {
  const Overloaded texts{
      [&](const field::OptionalInteger& f) {
        const std::optional<int>& value = f.value.read(session);
        return value ? std::to_string(*value) : std::string(f.none.empty() ? no_value : f.none);
      },
      [&]<class Number>(const field::Decimal<Number>& f) { return exact_text(f.value.read(session)); },
      [&](const field::Flag& f) { return std::string(f.value.read(session) ? "on" : "off"); },
      [&](const field::NamedFlag& f) { return std::string(f.value.read(session) ? f.on : f.off); },
      [&](const field::Text& f) { return f.value.read(session); },
      [&](const field::HiddenValue& f) {
        const float value = f.value.read(session);
        if (value == MaskValue::minus_infinity) return std::string(hidden_by_infinity);
        return value == MaskValue::minus_1e9 ? std::string(hidden_by_1e9) : exact_text(value);
      },
      [&](const field::Stage& f) {
        const StageKind kind = f.value.read(session);
        const std::string name(info(kind).name);
        return parse_stage_kind(name) == kind ? name : path(normalized({kind}));
      },
      [&](const field::Heads& f) {
        const std::string text = join_texts(f.value.read(session), ",", head_name);
        return text.empty() ? std::string(no_value) : text;
      },
      [&](const field::PinnedCell& f) {
        const std::optional<Pin>& pin = f.value.read(session);
        if (!pin) return std::string(no_value);
        return path(pin->stage) + ":" + std::to_string(pin->row) + "." + std::to_string(pin->col);
      },
      [&](const field::Notation& f) { return f.read(session); },
      [&](const auto&) {
        const Json value = value_of(setting, session);
        return value.is_string() ? value.get<std::string>() : json_text(value);
      },
  };
  return std::visit(texts, setting.field);
}

Json parse_value(const Setting& setting, std::string_view text) {
  const Overloaded values{
      [&](const field::Integer&) { return number_in(text); },
      [&](const field::OptionalInteger& f) {
        return text == no_value || (!f.none.empty() && text == f.none) ? Json() : number_in(text);
      },
      [&](const field::Seed&) { return number_in(text); },
      [&](const field::Real&) { return number_in(text); },
      [&](const field::Bound&) { return number_in(text); },
      [&](const field::Flag&) { return switch_in(text, "off", "on"); },
      [&](const field::NamedFlag& f) { return switch_in(text, f.off, f.on); },
      [&](const field::HiddenValue&) {
        if (text == "-inf") return Json(hidden_by_infinity);
        return text == hidden_by_infinity || text == hidden_by_1e9 ? Json(text) : number_in(text);
      },
      [&](const field::Texts&) { return list_in(text); },
      [&](const field::Tokens&) { return list_in(text); },
      [&](const field::Cells&) { return list_in(text); },
      [&](const auto&) { return Json(text); },
  };
  return std::visit(values, setting.field);
}

std::string shown(const Json& value) {
  constexpr std::size_t max_shown = 40;
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return truncated(json_text(value), max_shown);
}

}  // namespace headscope
