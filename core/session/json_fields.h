#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"

namespace headscope {

/// Reads values from a JSON object. Throws an Error that names a field if it is wrong.
class JsonFields {
 public:
  /// \param prefix The text before the name of a field in an error: "quantities[2]."
  JsonFields(const nlohmann::json& object, std::string prefix);

  /// The name of a field in an error message.
  std::string name(const char* key) const { return prefix_ + key; }
  /// Null if there is no such field.
  const nlohmann::json* find(const char* key) const;

  std::string text(const char* key) const;
  std::string text(const char* key, const std::string& missing) const {
    return find(key) == nullptr ? missing : text(key);
  }
  int whole(const char* key, int missing, int low, int high) const;
  double number(const char* key, double missing) const;
  bool flag(const char* key) const;
  /// A text or a list of texts. Empty if the field is missing.
  std::vector<std::string> texts(const char* key) const;
  /// Non-negative integers. Empty if the field is missing.
  std::vector<int> indices(const char* key) const;
  /// Empty if the field is missing.
  nlohmann::json object(const char* key) const;
  nlohmann::json list(const char* key) const;

  /// The fields of an object, which must exist.
  JsonFields inside(const char* key) const;
  /// The fields of an object, or of each object in a list.
  std::vector<JsonFields> objects(const char* key) const;

  [[noreturn]] static void reject(const std::string& what) { refuse(failure(what)); }
  /// Throws if a field was never read. Must be called last.
  void reject_unread_fields() const;

 private:
  [[noreturn]] void reject(const char* key, const nlohmann::json* found, const std::string& expected) const;

  const nlohmann::json& object_;
  std::string prefix_;
  mutable std::set<std::string, std::less<>> read_keys_;  ///< The names of the fields that were looked up.
};

}  // namespace headscope
