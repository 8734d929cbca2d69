#include "core/tokenizers/prefix_trie.h"

#include <algorithm>

namespace headscope {

PrefixTrie::PrefixTrie(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.first < b.first; });
  /// A pending node, whose children come from the entries [first, last), which share their first `depth`
  /// bytes.
  struct Open {
    std::uint32_t node;
    std::size_t first, last, depth;
  };
  nodes_.emplace_back();
  std::vector<Open> open{{0, 0, entries.size(), 0}};
  while (!open.empty()) {
    Open now = open.back();
    open.pop_back();
    // An entry that ends here is the shortest and comes first.
    for (; now.first < now.last && entries[now.first].first.size() == now.depth; ++now.first) {
      nodes_[now.node].value = entries[now.first].second;
    }
    nodes_[now.node].first_child = static_cast<std::uint32_t>(nodes_.size());
    for (std::size_t begin = now.first; begin < now.last;) {
      const char byte = entries[begin].first[now.depth];
      std::size_t end = begin;
      while (end < now.last && entries[end].first[now.depth] == byte) ++end;
      open.push_back({static_cast<std::uint32_t>(nodes_.size()), begin, end, now.depth + 1});
      nodes_.emplace_back().byte = static_cast<unsigned char>(byte);
      ++nodes_[now.node].n_children;
      begin = end;
    }
  }
}

bool PrefixTrie::advance(Node& node, char byte) const {
  const TrieNode& now = nodes_[node.index];
  const auto begin = nodes_.begin() + now.first_child;
  const auto end = begin + now.n_children;
  const auto label = static_cast<unsigned char>(byte);
  const auto found = std::lower_bound(begin, end, label,
                                      [](const TrieNode& child, unsigned char b) { return child.byte < b; });
  if (found == end || found->byte != label) return false;
  node.index = static_cast<std::uint32_t>(found - nodes_.begin());
  return true;
}

std::optional<PrefixTrie::Match> PrefixTrie::longest(std::string_view text) const {
  std::optional<Match> found;
  Node node = root();
  for (std::size_t i = 0; i < text.size() && advance(node, text[i]); ++i) {
    if (const auto here = value(node)) found = Match{*here, i + 1};
  }
  return found;
}

}  // namespace headscope
