#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// The replacements that sentencepiece makes in a text before it makes tokens (precompiled_charsmap): a trie
/// of strings as a double array (Darts-clone), and what replaces each string. Immutable.
class Charsmap {
 public:
  /// A replacement, and the number of bytes that it replaces.
  struct Replacement {
    std::string_view text;
    std::size_t length = 0;
  };

  /// A map that replaces nothing.
  Charsmap() = default;
  /// Reads the size of the trie in bytes (4 bytes, little-endian), the trie, and the replacements, each of
  /// which ends with a NUL. Replacements above 128 bytes are left out. An empty blob replaces nothing. It is
  /// an error if the sizes are inconsistent.
  static Result<Charsmap> parse(std::string_view blob);

  bool empty() const { return units_.empty(); }
  /// The replacement for the longest string with which the text begins.
  std::optional<Replacement> longest(std::string_view text) const;
  /// The replacement for the shortest such string.
  std::optional<Replacement> shortest(std::string_view text) const;

 private:
  std::optional<Replacement> find(std::string_view text, bool wants_longest) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace headscope
