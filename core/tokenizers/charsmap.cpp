#include "core/tokenizers/charsmap.h"

#include <algorithm>

namespace headscope {
namespace {

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

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
  const std::size_t trie_size = blob.size() < unit_size ? blob.size() : little_endian(blob, 0);
  if (trie_size + unit_size > blob.size() || trie_size % unit_size != 0) {
    return failure("its character map (precompiled_charsmap) is cut off");
  }
  map.units_.reserve(trie_size / unit_size);
  for (std::size_t at = unit_size; at < unit_size + trie_size; at += unit_size) {
    map.units_.push_back(little_endian(blob, at));
  }
  map.replacements_ = blob.substr(unit_size + trie_size);
  return map;
}

std::optional<Charsmap::Replacement> Charsmap::longest(std::string_view text) const {
  return find(text, true);
}

std::optional<Charsmap::Replacement> Charsmap::shortest(std::string_view text) const {
  return find(text, false);
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
    found = Replacement{all.substr(begin, end == std::string::npos ? end : end - begin), i + 1};
    if (!finds_longest) break;
  }
  return found;
}

}  // namespace headscope
