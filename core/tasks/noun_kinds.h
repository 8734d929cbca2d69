#pragma once

#include <span>
#include <string_view>

namespace headscope {

/// The pronoun that stands for a noun; of a person of either sex, he or she.
enum class NounPronoun { it, he, she, they, he_or_she };

/// Nouns of one kind.
struct NounKind {
  std::string_view name;   ///< as frames call it
  std::string_view title;  ///< for people
  NounPronoun pronoun;
  std::string_view words;       ///< a space between
  std::string_view adjectives;  ///< that may stand before them; none of them decides anything
};

std::span<const NounKind> noun_kinds();

}  // namespace headscope
