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

/// Reads fields of an untrusted JSON object, of which null counts as missing. A field of the wrong type
/// throws an error with its path, which read_fields() returns. Other fields are ignored. Throws OverBudget.
class TokenizerFields {
 public:
  using Json = nlohmann::json;

  /// The value and the budget must outlive this object.
  TokenizerFields(const Json& value, std::string place, Budget& budget)
      : value_(&value), place_(std::move(place)), budget_(&budget) {
    if (!value.is_object()) fail("is not an object");
  }

  const Json& value() const { return *value_; }
  [[noreturn]] void fail(const std::string& what) const {
    refuse(failure((place_.empty() ? "it" : place_) + " " + what));
  }
  [[noreturn]] void fail_field(std::string_view key, const std::string& what) const {
    refuse(failure(place_of(key) + " " + what));
  }
  Budget& budget() const { return *budget_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  bool flag(std::string_view key, std::optional<bool> fallback = std::nullopt) const {
    if (fallback && !has(key)) return *fallback;
    const Json& value = required(key);
    if (!value.is_boolean()) fail_field(key, "is neither true nor false");
    return value.get<bool>();
  }
  std::string text(std::string_view key, const std::optional<std::string>& fallback = std::nullopt) const {
    if (fallback && !has(key)) return *fallback;
    const Json& value = required(key);
    if (!value.is_string()) fail_field(key, "is not a string");
    return value.get<std::string>();
  }
  int number(std::string_view key, std::optional<int> fallback = std::nullopt) const {
    if (fallback && !has(key)) return *fallback;
    const auto read = whole_number(required(key));
    if (!read) fail_field(key, "is not a whole number, 0 or more");
    return *read;
  }
  TokenizerFields object(std::string_view key) const { return {required(key), place_of(key), *budget_}; }
  /// The elements of a required list of objects.
  std::vector<TokenizerFields> objects(std::string_view key) const {
    std::vector<TokenizerFields> result;
    const Json& all = list(key);
    for (std::size_t i = 0; i < all.size(); ++i)
      result.emplace_back(all[i], place_of(key) + "[" + std::to_string(i) + "]", *budget_);
    return result;
  }
  /// A required list.
  const Json& list(std::string_view key) const {
    if (!required(key).is_array()) fail_field(key, "is not a list");
    return required(key);
  }
  /// A required object.
  const Json& dictionary(std::string_view key) const {
    if (!required(key).is_object()) fail_field(key, "is not an object");
    return required(key);
  }
  /// Null if the field is missing.
  const Json* find(std::string_view key) const {
    budget().check_time();
    const auto found = value_->find(std::string(key));
    return found == value_->end() || found->is_null() ? nullptr : &*found;
  }

  static std::optional<int> whole_number(const Json& value) {
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) return std::nullopt;
    return static_cast<int>(number);
  }

 private:
  std::string place_of(std::string_view key) const {
    return place_.empty() ? std::string(key) : place_ + "." + std::string(key);
  }
  const Json& required(std::string_view key) const {
    const Json* const value = find(key);
    if (value == nullptr) fail_field(key, "is missing");
    return *value;
  }

  const Json* value_;
  std::string place_;
  Budget* budget_;
};

/// Returns the result of `read(fields)` for the entire file, within a budget of its size. `problem` begins
/// the error if that is exceeded, and `place` that of a field.
template <class Read>
auto read_fields(const nlohmann::json& file, std::size_t n_bytes, const std::string& problem,
                 const std::string& place, Read&& read) {
  return within_budget(Budget(n_bytes), problem, "use another tokenizer", [&](Budget& budget) {
    return result_of(place, [&] { return read(TokenizerFields(file, "", budget)); });
  });
}

}  // namespace headscope
