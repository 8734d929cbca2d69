#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// Strings, each with a number, that are found at the beginning of a text. Immutable.
class PrefixTrie {
 public:
  using Entry = std::pair<std::string, int>;

  /// A position in the trie.
  struct Node {
    std::uint32_t index = 0;
  };
  struct Found {
    int value = 0;
    std::size_t length = 0;
  };

  PrefixTrie() : PrefixTrie(std::vector<Entry>{}) {}
  /// If two strings are equal, the later one counts.
  explicit PrefixTrie(std::vector<Entry> entries);

  bool empty() const { return nodes_.size() == 1; }
  static Node root() { return {}; }
  /// Moves on by one byte. Returns false and leaves `node` unchanged if no string continues in this way.
  bool advance(Node& node, char byte) const;
  /// The number of the string that ends here. Empty if none does.
  std::optional<int> value(Node node) const {
    const int value = nodes_[node.index].value;
    return value < 0 ? std::nullopt : std::optional(value);
  }
  /// The longest string with which a text begins.
  std::optional<Found> longest(std::string_view text) const;

 private:
  struct TrieNode {
    std::uint32_t first_child = 0;  ///< Its children are stored one after another, sorted by byte.
    std::uint16_t n_children = 0;
    unsigned char byte = 0;
    std::int32_t value = -1;
  };
  std::vector<TrieNode> nodes_;
};

}  // namespace headscope
