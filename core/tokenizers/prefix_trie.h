#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// A trie from strings to numbers, for matching prefixes of a text. Immutable.
class PrefixTrie {
 public:
  using Entry = std::pair<std::string, int>;

  /// A position in the trie.
  struct Node {
    std::uint32_t index = 0;
  };
  struct Match {
    int value = 0;
    std::size_t length = 0;
  };

  PrefixTrie() : PrefixTrie(std::vector<Entry>{}) {}
  /// For duplicate strings, the last one wins.
  explicit PrefixTrie(std::vector<Entry> entries);

  bool empty() const { return nodes_.size() == 1; }
  static Node root() { return {}; }
  /// Advances by one byte. Returns false and leaves `node` unchanged if there is no such child.
  bool advance(Node& node, char byte) const;
  /// The number of the string that ends at a node, if any.
  std::optional<int> value(Node node) const {
    const int value = nodes_[node.index].value;
    return value < 0 ? std::nullopt : std::optional(value);
  }
  /// The longest prefix of a text in the trie.
  std::optional<Match> longest(std::string_view text) const;

 private:
  struct TrieNode {
    std::uint32_t first_child = 0;  ///< Children are contiguous, sorted by byte.
    std::uint16_t n_children = 0;
    unsigned char byte = 0;
    std::int32_t value = -1;
  };
  std::vector<TrieNode> nodes_;
};

}  // namespace headscope
