#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// What sentencepiece replaces in a text before it makes tokens (precompiled_charsmap): a trie of strings as
/// a double array (Darts-clone), and what stands for each. Immutable.
class Charsmap {
 public:
  /// A replacement, and how many bytes it replaces.
  struct Replacement {
    std::string_view text;
    std::size_t length = 0;
  };

  /// Replaces nothing.
  Charsmap() = default;
  /// The size of the trie in bytes (4, little-endian), the trie, and the replacements, each with a NUL behind
  /// it. Replacements above 128 bytes are left out. An empty blob replaces nothing. Errors: sizes that do not
  /// hold together.
  static Result<Charsmap> parse(std::string_view blob);

  bool empty() const { return units_.empty(); }
  /// The replacement of the longest string that the text begins with.
  std::optional<Replacement> longest(std::string_view text) const;
  /// The replacement of the shortest one.
  std::optional<Replacement> shortest(std::string_view text) const;

 private:
  std::optional<Replacement> find(std::string_view text, bool wants_longest) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace headscope
