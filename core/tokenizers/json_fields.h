#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/budget.h"

namespace headscope {

/// Collects the first error in a file. Also holds the budget for reading it.
class FirstFieldError {
 public:
  explicit FirstFieldError(Budget& budget) : budget_(&budget) {}
  Budget& budget() const { return *budget_; }
  void add(std::string text) {
    if (!text_) text_ = std::move(text);
  }
  const std::optional<std::string>& text() const { return text_; }

 private:
  Budget* budget_;
  std::optional<std::string> text_;
};

/// Reads fields of an untrusted JSON object. A field of the wrong type adds an error with its path and gives
/// the default. null counts as missing. Other fields are ignored. Throws OverBudget.
class TokenizerFields {
 public:
  using Json = nlohmann::json;

  /// All three arguments must outlive this object.
  TokenizerFields(const Json& value, std::string place, FirstFieldError& first_error)
      : value_(&value), place_(std::move(place)), first_error_(&first_error) {
    if (!value.is_object()) add_error("is not an object");
  }

  const std::string& place() const { return place_; }
  const Json& value() const { return *value_; }
  void add_error(const std::string& what) const {
    first_error_->add((place_.empty() ? "it" : place_) + " " + what);
  }
  Budget& budget() const { return first_error_->budget(); }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  bool flag(std::string_view key, std::optional<bool> fallback = std::nullopt) const {
    const Json* const value = required_field(key, fallback.has_value());
    if (value == nullptr) return fallback.value_or(false);
    if (!value->is_boolean()) add_field_error(key, "is neither true nor false");
    return value->is_boolean() && value->get<bool>();
  }
  std::string text(std::string_view key, const std::optional<std::string>& fallback = std::nullopt) const {
    const Json* const value = required_field(key, fallback.has_value());
    if (value == nullptr) return fallback.value_or("");
    if (!value->is_string()) add_field_error(key, "is not a string");
    return value->is_string() ? value->get<std::string>() : std::string();
  }
  /// An optional string.
  std::optional<std::string> text_or_none(std::string_view key) const {
    return has(key) ? std::optional(text(key)) : std::nullopt;
  }
  int number(std::string_view key, std::optional<int> fallback = std::nullopt) const {
    const Json* const value = required_field(key, fallback.has_value());
    if (value == nullptr) return fallback.value_or(0);
    const auto read = whole_number(*value);
    if (!read) add_field_error(key, "is not a whole number, 0 or more");
    return read.value_or(0);
  }
  TokenizerFields object(std::string_view key) const {
    const Json* const value = required_field(key, false);
    static const Json empty = Json::object();
    return {value == nullptr ? empty : *value, place_of(key), *first_error_};
  }
  /// The elements of a required list of objects.
  std::vector<TokenizerFields> objects(std::string_view key) const {
    std::vector<TokenizerFields> result;
    const Json& all = list(key);
    for (std::size_t i = 0; i < all.size(); ++i) {
      result.emplace_back(all[i], place_of(key) + "[" + std::to_string(i) + "]", *first_error_);
    }
    return result;
  }
  /// A required list.
  const Json& list(std::string_view key) const { return any(key, Json::value_t::array, "is not a list"); }
  /// A required object.
  const Json& dictionary(std::string_view key) const {
    return any(key, Json::value_t::object, "is not an object");
  }
  /// Null if the field is missing.
  const Json* find(std::string_view key) const {
    budget().check_time();
    if (!value_->is_object()) return nullptr;
    const auto found = value_->find(std::string(key));
    return found == value_->end() || found->is_null() ? nullptr : &*found;
  }
  void add_field_error(std::string_view key, const std::string& what) const {
    first_error_->add(place_of(key) + " " + what);
  }
  std::string place_of(std::string_view key) const {
    return place_.empty() ? std::string(key) : place_ + "." + std::string(key);
  }

  static std::optional<int> whole_number(const Json& value) {
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) return std::nullopt;
    return static_cast<int>(number);
  }

 private:
  const Json* required_field(std::string_view key, bool may_be_missing) const {
    const Json* const value = find(key);
    if (value == nullptr && !may_be_missing) add_field_error(key, "is missing");
    return value;
  }
  const Json& any(std::string_view key, Json::value_t type, const std::string& fallback) const {
    static const Json empty_list = Json::array();
    static const Json empty_object = Json::object();
    const Json* const value = required_field(key, false);
    if (value != nullptr && value->type() == type) return *value;
    if (value != nullptr) add_field_error(key, fallback);
    return type == Json::value_t::array ? empty_list : empty_object;
  }

  const Json* value_;
  std::string place_;
  FirstFieldError* first_error_;
};

}  // namespace headscope
