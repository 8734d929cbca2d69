#include <algorithm>

#include "core/text/utf8.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {

LocatedText::LocatedText(std::string_view original, Budget& budget) : budget_(&budget) {
  reserve(original.size());
  for (std::size_t at = 0; at < original.size();) {
    const auto first = static_cast<unsigned char>(original[at]);
    const std::size_t length = first < 0x80 ? 1 : first_character_length(original.substr(at));
    const Origin origin{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + length)};
    if (first < 0x80) {
      append(char32_t{first}, origin);
    } else {
      append(valid_utf8(original.substr(at, length)), origin);
    }
    at += length;
  }
}

TextSpan LocatedText::origin_of(std::size_t begin, std::size_t end) const {
  end = std::min(end, size());
  if (begin >= end) return {};
  const std::size_t first = origins_[begin].begin;
  return {first, std::max<std::size_t>(first, origins_[end - 1].end)};
}

LocatedText::Origin LocatedText::spanned(std::size_t begin, std::size_t end) const {
  Origin all = origins_[begin];
  for (std::size_t i = begin; i < end; ++i) {
    all.begin = std::min(all.begin, origins_[i].begin);
    all.end = std::max(all.end, origins_[i].end);
  }
  return all;
}

/// Reserves memory for more bytes.
void LocatedText::grow(std::size_t n_bytes) {
  if (n_bytes > origins_.capacity() - size()) reserve(std::max(size() + n_bytes, 2 * size()));
}

void LocatedText::reserve(std::size_t n_bytes) {
  budget_->take(n_bytes, 1 + sizeof(Origin));
  text_.reserve(n_bytes);
  origins_.reserve(n_bytes);
}

void LocatedText::append(std::string_view text, Origin origin) {
  grow(text.size());
  text_ += text;
  origins_.resize(text_.size(), origin);
}

void LocatedText::append(char32_t c, Origin origin) {
  if (c < 0x80) {
    grow(1);
    text_ += static_cast<char>(c);
    origins_.push_back(origin);
  } else {
    append(to_utf8(c), origin);
  }
}

void LocatedText::append(const LocatedText& other, std::size_t begin, std::size_t end) {
  grow(end - begin);
  text_.append(other.text_, begin, end - begin);
  origins_.insert(origins_.end(), other.origins_.begin() + static_cast<std::ptrdiff_t>(begin),
                  other.origins_.begin() + static_cast<std::ptrdiff_t>(end));
}

LocatedText LocatedText::part(std::size_t begin, std::size_t end) const {
  LocatedText result(*budget_);
  result.append(*this, begin, end);
  return result;
}

void LocatedText::prepend(std::string_view text) {
  if (empty()) return;
  const Origin first = origins_.front();
  grow(text.size());
  text_.insert(0, text);
  origins_.insert(origins_.begin(), text.size(), first);
}

}  // namespace headscope
