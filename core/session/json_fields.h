#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/session/names.h"
#include "core/text/utf8.h"

namespace headscope {

/// A value as a message shows it: shortened, a list or an object by its kind.
std::string shown(const nlohmann::json& value);

/// Two archives with the same methods, so that one description of the fields serves both directions. Every
/// method takes the field's name in its object and the field.

/// Puts fields into a JSON object.
class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& object) : object_(object) { object_ = nlohmann::json::object(); }

  void flag(const char* key, const bool& value) { object_[key] = value; }
  void text(const char* key, const std::string& value) { object_[key] = value; }
  template <class Number>
  void number(const char* key, const Number& value, Number /*low*/, Number /*high*/) {
    object_[key] = value;
  }
  void number(const char* key, const std::optional<int>& value, int /*low*/, int /*high*/) {
    object_[key] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  template <class Enum>
  void choice(const char* key, const Enum& value) {
    object_[key] = names_of<Enum>[static_cast<std::size_t>(value)];
  }
  /// −∞, which JSON has no number for, is "inf".
  void mask_value(const char* key, const float& value) {
    object_[key] = value == MaskValue::minus_infinity ? nlohmann::json("inf") : nlohmann::json(value);
  }
  void stage(const char* key, const StageId& value) { object_[key] = path(value); }
  void texts(const char* key, const std::vector<std::string>& value) { object_[key] = value; }
  void tokens(const char* key, const std::vector<int>& value, int /*n_tokens*/) { object_[key] = value; }
  void cells(const char* key, const std::vector<Cell>& value, int /*n_queries*/, int /*n_keys*/) {
    nlohmann::json& list = object_[key] = nlohmann::json::array();
    for (const Cell& cell : value) list.push_back({cell.query, cell.key});
  }
  template <class Describe>
  void group(const char* key, const Describe& describe) {
    FieldWriter inner(object_[key]);
    describe(inner);
  }
  template <class Value, class Describe>
  void optional_group(const char* key, const std::optional<Value>& value, const Describe& describe) {
    object_[key] = nullptr;
    if (value) group(key, [&](FieldWriter& inner) { describe(inner, Value(*value)); });
  }

 private:
  nlohmann::json& object_;
};

/// Takes fields from a JSON object. A missing one keeps its value; the first invalid one is remembered, and
/// nothing is read after it.
class FieldReader {
 public:
  FieldReader(const nlohmann::json& object, std::string prefix, std::string& error)
      : object_(object), prefix_(std::move(prefix)), error_(error) {}

  void flag(const char* key, bool& value);
  void text(const char* key, std::string& value);
  template <class Number>
  void number(const char* key, Number& value, Number low, Number high) {
    if (const nlohmann::json* found = find(key)) take_number(key, *found, value, low, high);
  }
  void number(const char* key, std::optional<int>& value, int low, int high);
  template <class Enum>
  void choice(const char* key, Enum& value) {
    const std::optional<std::size_t> index = index_of(key, names_of<Enum>);
    if (index) value = static_cast<Enum>(*index);
  }
  /// A finite number; "inf" is −∞ and "1e9" is −1e9, as on the command line.
  void mask_value(const char* key, float& value);
  void stage(const char* key, StageId& value);
  void texts(const char* key, std::vector<std::string>& value);
  void tokens(const char* key, std::vector<int>& value, int n_tokens);
  void cells(const char* key, std::vector<Cell>& value, int n_queries, int n_keys);
  template <class Describe>
  void group(const char* key, const Describe& describe) {
    const nlohmann::json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_object()) return refuse(key, *found, "an object");
    FieldReader inner(*found, prefix_ + key + ".", error_);
    describe(inner);
  }
  template <class Value, class Describe>
  void optional_group(const char* key, std::optional<Value>& value, const Describe& describe) {
    const nlohmann::json* found = find(key);
    if (found == nullptr) return;
    value.reset();
    if (found->is_null()) return;
    group(key, [&](FieldReader& inner) { describe(inner, value.emplace()); });
  }

 private:
  /// Null where the field is missing or an error came before it.
  const nlohmann::json* find(const char* key) const;
  void refuse(const std::string& key, const nlohmann::json& found, const std::string& expected);
  template <class Names>
  std::optional<std::size_t> index_of(const char* key, const Names& names) {
    const nlohmann::json* found = find(key);
    if (found == nullptr) return std::nullopt;
    std::string expected;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (found->is_string() && *found == names[i]) return i;
      expected += (i == 0 ? "" : ", ") + std::string(names[i]);
    }
    refuse(key, *found, "one of " + expected);
    return std::nullopt;
  }
  template <class Number>
  bool take_number(const std::string& key, const nlohmann::json& found, Number& value, Number low,
                   Number high) {
    if (!fits(found, low, high)) {
      refuse(key, found, range_text(low, high));
      return false;
    }
    value = found.get<Number>();
    return true;
  }
  template <class Number>
  static bool fits(const nlohmann::json& found, Number low, Number high) {
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
  static std::string range_text(Number low, Number high) {
    if (high < low) return "null, as there is nothing to count";
    const char* kind = std::is_floating_point_v<Number> ? "a number" : "a whole number";
    return kind + std::string(" from ") + nlohmann::json(low).dump() + " to " + nlohmann::json(high).dump();
  }

  const nlohmann::json& object_;
  std::string prefix_;
  std::string& error_;
};

}  // namespace headscope
