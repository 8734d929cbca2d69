#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// sentencepiece's normalization map (precompiled_charsmap): a double-array trie (Darts-clone) of strings and
/// their replacements. Immutable.
class Charsmap {
 public:
  /// A replacement and the number of bytes it replaces.
  struct Replacement {
    std::string_view text;
    std::size_t length = 0;
  };

  /// An empty map.
  Charsmap() = default;
  /// Parses the trie size in bytes (4 bytes, little-endian), the trie, and the NUL-terminated replacements.
  /// Drops replacements above 128 bytes. An empty blob gives an empty map. Fails if sizes are inconsistent.
  static Result<Charsmap> parse(std::string_view blob);

  bool empty() const { return units_.empty(); }
  /// The replacement of the longest prefix of the text in the map.
  std::optional<Replacement> longest(std::string_view text) const;
  /// The replacement of the shortest such prefix.
  std::optional<Replacement> shortest(std::string_view text) const;

 private:
  std::optional<Replacement> find(std::string_view text, bool finds_longest) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace headscope
