#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headscope {

/// The pronoun that stands for a noun; of a person of either sex, he or she.
enum class NounPronoun { it, he, she, they, he_or_she };

/// Nouns of one kind. A noun may be of several.
struct NounKind {
  std::string_view name;        ///< as frames call it
  std::string_view title;       ///< for people
  NounPronoun pronoun;          ///< of one; of several it is "they"
  std::string_view words;       ///< in the singular, a space between
  std::string_view adjectives;  ///< that may stand before them
  enum class Use : std::uint8_t {
    countable,  ///< with an article, and in the plural too
    mass,       ///< with an article, in the singular only, or, of "they", as it stands
    name        ///< without an article
  } use = Use::countable;
};

std::span<const NounKind> noun_kinds();

/// A name for several kinds, which may be used wherever a kind may.
struct KindSet {
  std::string_view name;
  std::string_view kinds;  ///< names of kinds, or of sets before this one
};

std::span<const KindSet> kind_sets();

}  // namespace headscope
