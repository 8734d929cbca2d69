#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/session/session.h"

namespace headscope {

/// A technical term that a newcomer may not know.
struct Term {
  std::string_view name;      ///< “Attention weight”
  std::string_view keywords;  ///< Synonyms and other forms, separated by commas.
  std::string_view meaning;   ///< One sentence.
  PageName page;              ///< A page on which it can be seen.
  /// The lesson that explains it. Empty if there is none.
  std::string_view lesson = {};
};

/// All terms, in alphabetical order.
std::span<const Term> glossary();

/// The longest term in a text, as whole words in any case, that covers this byte. Null if there is none.
const Term* term_at(std::string_view text, std::size_t byte);

}  // namespace headscope
