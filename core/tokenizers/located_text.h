#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A text being tokenized: valid UTF-8 that tracks, for each byte, its origin in the original text. Inserted
/// text gets the origin of its neighbour. Memory is charged to a budget.
class LocatedText {
 public:
  struct Origin {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  explicit LocatedText(Budget& budget) : budget_(&budget) {}
  /// From an original text below 4 GiB. Ill-formed sequences become U+FFFD.
  LocatedText(std::string_view original, Budget& budget);

  Budget& budget() const { return *budget_; }

  std::string_view text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  /// The origin of a byte.
  Origin origin(std::size_t at) const { return origins_[at]; }
  /// The origin of bytes [begin, end), from that of the first to that of the last. Empty for an empty range.
  TextSpan origin_of(std::size_t begin, std::size_t end) const;
  /// The union of the origins of a non-empty byte range.
  Origin spanned(std::size_t begin, std::size_t end) const;

  void reserve(std::size_t n_bytes);
  void append(std::string_view text, Origin origin);
  void append(char32_t c, Origin origin);
  /// Appends bytes [begin, end) of another text with their origins.
  void append(const LocatedText& other, std::size_t begin, std::size_t end);
  LocatedText part(std::size_t begin, std::size_t end) const;
  /// Prepends a text, unless this one is empty.
  void prepend(std::string_view text);

 private:
  void grow(std::size_t n_bytes);

  Budget* budget_;
  std::string text_;
  std::vector<Origin> origins_;
};

}  // namespace headscope
