#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "core/result.h"

namespace headscope {

/// The values that a pickle may contain here. Classes and functions of Python are known only by name: nothing
/// is imported, called or built.
struct PickleValue {
  enum class Kind {
    none,
    boolean,
    whole,  ///< A whole number; 0 if it does not fit into 64 bits.
    real,
    text,
    list,
    tuple,
    dict,        ///< The items are key, value, key, value, …
    name,        ///< The name of a class or function, such as "torch._utils._rebuild_tensor_v2".
    call,        ///< The items are the name of what is called and its arguments.
    persistent,  ///< The item is an id that stands for something outside of the pickle.
    mark         ///< Occurs only while the pickle is being read.
  };
  Kind kind = Kind::none;
  std::int64_t whole = 0;
  double real = 0.0;
  std::string_view text;   ///< refers to the file, or to the allowed names
  std::vector<int> items;  ///< indices of other values
};

/// The values of a pickle. They refer to its bytes. A value may be part of several others, or of itself.
class Pickle {
 public:
  /// Reads the first pickle in `bytes` and removes it from them. `allowed` lists the names that may occur and
  /// must outlive the result. Errors, which do not name the file: an operation that weights do not need, a
  /// name that is not allowed, and a truncated pickle. Throws OverBudget.
  static Result<Pickle> read(std::string_view& bytes, std::span<const std::string_view> allowed,
                             Budget& budget);

  const PickleValue& root() const { return at(root_); }
  const std::vector<PickleValue>& values() const { return values_; }
  const PickleValue& at(int place) const { return values_[static_cast<std::size_t>(place)]; }
  const PickleValue& item(const PickleValue& of, std::size_t index) const { return at(of.items[index]); }
  /// The value that a dictionary has for a text key. Null if it does not have the key.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;

 private:
  friend class PickleReader;
  Pickle() = default;

  std::vector<PickleValue> values_;
  int root_ = 0;
};

}  // namespace headscope
