#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/session/session.h"

namespace headscope {

/// A word of the trade that a newcomer may not know.
struct Term {
  std::string_view name;     ///< “Attention weight”
  std::string_view also;     ///< Other words for it, separated by commas, such as its plural.
  std::string_view meaning;  ///< One sentence.
  PageName page;             ///< A page on which it can be seen.
  /// The lesson that explains it. Empty if there is none.
  std::string_view lesson = {};
};

/// All terms, in alphabetical order.
std::span<const Term> glossary();

/// The term that stands in a text, as whole words in any case, around this byte. Of several, the longest
/// one. Null if there is none.
const Term* term_at(std::string_view text, std::size_t byte);

}  // namespace headscope
