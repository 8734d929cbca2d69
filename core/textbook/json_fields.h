#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace headscope {

/// Takes values from a JSON object. What is wrong first is put into an error that the caller keeps, after
/// which every value is an empty one.
class JsonFields {
 public:
  /// \param prefix what stands before a field's name in an error: "quantities[2]."
  JsonFields(const nlohmann::json& object, std::string prefix, std::string& error);

  /// The name of a field as errors say it.
  std::string name(const char* key) const { return prefix_ + key; }
  /// Null where there is none.
  const nlohmann::json* find(const char* key) const;

  std::string text(const char* key) const;
  std::string text(const char* key, const std::string& missing) const;
  int whole(const char* key, int missing, int low, int high) const;
  double number(const char* key, double missing) const;
  bool flag(const char* key) const;
  /// A text or a list of them; none where it is missing.
  std::vector<std::string> texts(const char* key) const;
  /// Whole numbers from 0 on; none where it is missing.
  std::vector<int> indices(const char* key) const;
  /// An empty one where it is missing.
  nlohmann::json object(const char* key) const;
  nlohmann::json list(const char* key) const;

  /// The fields of an object that is there.
  JsonFields inside(const char* key) const;
  /// The fields of an object, or of each of a list of them.
  std::vector<JsonFields> objects(const char* key) const;

  /// Keeps the first thing that is wrong.
  void refuse(const std::string& what) const;
  /// Refuses a field that nothing was taken from. To be called last.
  void refuse_others() const;

 private:
  void refuse(const char* key, const nlohmann::json* found, const std::string& expected) const;

  const nlohmann::json& object_;
  std::string prefix_;
  std::string& error_;
  mutable std::set<std::string, std::less<>> asked_;  ///< names of fields that were looked for
};

}  // namespace headscope
