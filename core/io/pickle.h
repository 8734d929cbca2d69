#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "core/result.h"

namespace headscope {

/// A value of a pickle. Python classes and functions are represented by their names only: nothing is
/// imported, called or constructed.
struct PickleValue {
  enum class Kind {
    none,
    boolean,
    whole,  ///< An integer; 0 if it exceeds 64 bits.
    real,
    text,
    list,
    tuple,
    dict,        ///< The items are key, value, key, value, …
    name,        ///< The name of a class or function, such as "torch._utils._rebuild_tensor_v2".
    call,        ///< The items are the name of the callee and its arguments.
    persistent,  ///< The item is the id of an external object.
    mark         ///< Internal to the parser.
  };
  Kind kind = Kind::none;
  std::int64_t whole = 0;
  double real = 0.0;
  std::string_view text = {};   ///< refers to the file, or to the allowed names
  std::vector<int> items = {};  ///< indices of other values
};

/// The values of a pickle, which refer to its bytes. Values may be shared and cyclic.
class Pickle {
 public:
  /// Parses the first pickle in `bytes` and removes it from them. `allowed` lists the permitted names and
  /// must outlive the result. Errors (which do not name the file): an unsupported opcode, a name that is not
  /// allowed, and truncation. Throws OverBudget.
  static Result<Pickle> read(std::string_view& bytes, std::span<const std::string_view> allowed,
                             Budget& budget);

  const PickleValue& root() const { return at(root_); }
  const std::vector<PickleValue>& values() const { return values_; }
  const PickleValue& at(int place) const { return values_[static_cast<std::size_t>(place)]; }
  const PickleValue& item(const PickleValue& of, std::size_t index) const { return at(of.items[index]); }
  /// Looks up a string key in a dictionary. Null if missing.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;

 private:
  friend class PickleReader;
  Pickle() = default;

  std::vector<PickleValue> values_;
  int root_ = 0;
};

}  // namespace headscope
