#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// What a pickle may hold here. Of Python's classes and functions only names are known: nothing is imported,
/// called or built.
struct PickleValue {
  enum class Kind {
    none,
    boolean,
    whole,  ///< beyond 64 bits, 0
    real,
    text,
    list,
    tuple,
    dict,        ///< items: key, value, key, value …
    name,        ///< of a class or function: "torch._utils._rebuild_tensor_v2"
    call,        ///< items: what is called, its arguments
    persistent,  ///< items: the id, which stands for something outside of the pickle
    mark         ///< only while it is read
  };
  Kind kind = Kind::none;
  std::int64_t whole = 0;
  std::string_view text;   ///< of the file, or of the names that are allowed
  std::vector<int> items;  ///< places of other values
};

/// The values of a pickle; they refer to its bytes. A value may be part of several others, or of itself.
class Pickle {
 public:
  /// The first pickle in `bytes`, which is taken off them. `allowed`: the names that may occur, which must
  /// outlive it. Errors, which do not name the file: an operation that weights do not need, another name,
  /// more values than most_pickle_values, and what is cut off.
  static Result<Pickle> read(std::string_view& bytes, std::span<const std::string_view> allowed);

  const PickleValue& root() const { return at(root_); }
  const std::vector<PickleValue>& values() const { return values_; }
  const PickleValue& at(int place) const { return values_[static_cast<std::size_t>(place)]; }
  const PickleValue& item(const PickleValue& of, std::size_t index) const { return at(of.items[index]); }
  /// The value of a text key of a dictionary; null where it has none.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;

 private:
  friend class PickleReader;
  Pickle() = default;

  std::vector<PickleValue> values_;
  int root_ = 0;
};

/// The largest models have far fewer: their numbers stand elsewhere.
inline constexpr std::size_t most_pickle_values = std::size_t{4} << 20U;

}  // namespace headscope
