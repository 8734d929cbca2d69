#include "core/tokenizers/prefix_trie.h"

#include <algorithm>

#include "core/little_endian.h"

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
  const TrieNode& now = nodes_[node];
  const auto begin = nodes_.begin() + now.first_child;
  const auto end = begin + now.n_children;
  const auto label = static_cast<unsigned char>(byte);
  const auto found = std::lower_bound(begin, end, label,
                                      [](const TrieNode& child, unsigned char b) { return child.byte < b; });
  if (found == end || found->byte != label) return false;
  node = static_cast<std::uint32_t>(found - nodes_.begin());
  return true;
}

std::optional<std::pair<int, std::size_t>> PrefixTrie::longest(std::string_view text) const {
  std::optional<std::pair<int, std::size_t>> found;
  Node node = root();
  for (std::size_t i = 0; i < text.size() && advance(node, text[i]); ++i) {
    if (const auto here = value(node)) found.emplace(*here, i + 1);
  }
  return found;
}

namespace {

// The bit fields of a Darts-clone double-array unit.
bool has_leaf(std::uint32_t unit) {
  return (unit >> 8U & 1U) != 0;
}
std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFFU;
}
std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FFU;
}
std::size_t offset_of(std::uint32_t unit) {
  return std::size_t{unit >> 10U} << ((unit & 0x200U) >> 6U);
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view blob) {
  Charsmap map;
  if (blob.empty()) return map;
  constexpr std::size_t unit_size = 4;
  const std::size_t trie_size = blob.size() < unit_size
                                    ? blob.size()
                                    : static_cast<std::size_t>(little_endian(blob.substr(0, unit_size)));
  if (trie_size + unit_size > blob.size() || trie_size % unit_size != 0) {
    return failure("its character map (precompiled_charsmap) is cut off");
  }
  map.units_.reserve(trie_size / unit_size);
  for (std::size_t at = unit_size; at < unit_size + trie_size; at += unit_size) {
    map.units_.push_back(static_cast<std::uint32_t>(little_endian(blob.substr(at, unit_size))));
  }
  map.replacements_ = blob.substr(unit_size + trie_size);
  return map;
}

std::optional<Charsmap::Replacement> Charsmap::find(std::string_view text, bool finds_longest) const {
  if (units_.empty()) return std::nullopt;
  std::optional<Replacement> found;
  std::size_t node = offset_of(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || label_of(units_[node]) != byte) break;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size()) break;
    const std::size_t begin = value_of(units_[node]);
    if (begin > replacements_.size()) break;
    const std::size_t end = replacements_.find('\0', begin);
    const std::string_view all = replacements_;
    found.emplace(all.substr(begin, end == std::string::npos ? end : end - begin), i + 1);
    if (!finds_longest) break;
  }
  return found;
}

}  // namespace headscope
