#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// Strings with a number each, to be found by what a text begins with. Immutable.
class PrefixTrie {
 public:
  using Entry = std::pair<std::string, int>;

  /// Where one has come to in the trie.
  struct Node {
    std::uint32_t index = 0;
  };
  struct Found {
    int value = 0;
    std::size_t length = 0;
  };

  PrefixTrie() : PrefixTrie(std::vector<Entry>{}) {}
  /// Of two equal strings the one that comes later counts.
  explicit PrefixTrie(std::vector<Entry> entries);

  bool empty() const { return nodes_.size() == 1; }
  static Node root() { return {}; }
  /// Goes on by one byte; false, and nowhere, where no string goes on so.
  bool advance(Node& node, char byte) const;
  /// The number of the string that ends here.
  std::optional<int> value(Node node) const {
    const int value = nodes_[node.index].value;
    return value < 0 ? std::nullopt : std::optional(value);
  }
  /// The longest string that a text begins with.
  std::optional<Found> longest(std::string_view text) const;

 private:
  struct TrieNode {
    std::uint32_t first_child = 0;  ///< its children stand one after another, in the order of their bytes
    std::uint16_t n_children = 0;
    unsigned char byte = 0;
    std::int32_t value = -1;
  };
  std::vector<TrieNode> nodes_;
};

}  // namespace headscope
