#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace headscope {

/// A trie from strings to numbers, for matching prefixes of a text. Immutable.
class PrefixTrie {
 public:
  using Entry = std::pair<std::string, int>;

  /// A position in the trie.
  using Node = std::uint32_t;

  PrefixTrie() : PrefixTrie(std::vector<Entry>{}) {}
  /// For duplicate strings, the last one wins.
  explicit PrefixTrie(std::vector<Entry> entries);

  bool empty() const { return nodes_.size() == 1; }
  static Node root() { return 0; }
  /// Advances by one byte. Returns false and leaves `node` unchanged if there is no such child.
  bool advance(Node& node, char byte) const;
  /// The number of the string that ends at a node, if any.
  std::optional<int> value(Node node) const {
    const int value = nodes_[node].value;
    return value < 0 ? std::nullopt : std::optional(value);
  }
  /// The number of the longest string that begins a text, and its length.
  std::optional<std::pair<int, std::size_t>> longest(std::string_view text) const;

 private:
  struct TrieNode {
    std::uint32_t first_child = 0;  ///< Children are contiguous, sorted by byte.
    std::uint16_t n_children = 0;
    unsigned char byte = 0;
    std::int32_t value = -1;
  };
  std::vector<TrieNode> nodes_;
};

/// sentencepiece's normalization map (precompiled_charsmap): a double-array trie (Darts-clone) of strings and
/// their replacements. Immutable.
class Charsmap {
 public:
  /// A replacement and the number of bytes it replaces.
  using Replacement = std::pair<std::string_view, std::size_t>;

  /// An empty map.
  Charsmap() = default;
  /// Parses the trie size in bytes (4 bytes, little-endian), the trie, and the NUL-terminated replacements.
  /// Drops replacements above 128 bytes. An empty blob gives an empty map. Fails if sizes are inconsistent.
  static Result<Charsmap> parse(std::string_view blob);

  bool empty() const { return units_.empty(); }
  /// The replacement of the longest prefix of the text in the map.
  std::optional<Replacement> longest(std::string_view text) const { return find(text, true); }
  /// The replacement of the shortest such prefix.
  std::optional<Replacement> shortest(std::string_view text) const { return find(text, false); }

 private:
  std::optional<Replacement> find(std::string_view text, bool finds_longest) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace headscope
