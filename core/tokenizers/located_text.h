#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A text on its way to a model. It is valid UTF-8 and records for each byte which bytes of the original text
/// it came from. Inserted text gets the origin of its neighbour. Its memory is charged to a budget, and so is
/// that of its parts.
class LocatedText {
 public:
  struct Origin {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  explicit LocatedText(Budget& budget) : budget_(&budget) {}
  /// Takes an original text below 4 GiB. U+FFFD replaces each ill-formed sequence.
  LocatedText(std::string_view original, Budget& budget);

  Budget& budget() const { return *budget_; }

  std::string_view text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  /// The origin of a byte.
  Origin origin(std::size_t at) const { return origins_[at]; }
  /// The range from the origin of the first of some bytes to that of the last. Empty for no bytes.
  TextSpan origin_of(std::size_t begin, std::size_t end) const;
  /// The union of the origins of some bytes, of which there is at least one.
  Origin spanned(std::size_t begin, std::size_t end) const;

  void reserve(std::size_t n_bytes);
  void append(std::string_view text, Origin origin);
  void append(char32_t c, Origin origin);
  /// Appends the bytes from `begin` to before `end` of another text, with their origins.
  void append(const LocatedText& other, std::size_t begin, std::size_t end);
  LocatedText part(std::size_t begin, std::size_t end) const;
  /// Puts a text before this one, unless this one is empty.
  void prepend(std::string_view text);

 private:
  void grow(std::size_t n_bytes);

  Budget* budget_;
  std::string text_;
  std::vector<Origin> origins_;
};

}  // namespace headscope
