#pragma once

#include <cstdint>
#include <string>

namespace headscope {

/// The pronoun that stands for a noun. A person of unspecified sex is he or she.
enum class NounPronoun { it, he, she, they, he_or_she };

/// Nouns of one kind. A noun may belong to several kinds.
struct NounKind {
  std::string name;        ///< The name of the kind in frames.
  std::string title;       ///< The name for display.
  NounPronoun pronoun;     ///< The pronoun of a single one. The plural is always "they".
  std::string words;       ///< In the singular, separated by spaces.
  std::string adjectives;  ///< Adjectives that may precede them.
  enum class Use : std::uint8_t {
    countable,  ///< With an article, and also in the plural.
    /// With an article and only in the singular or, if the pronoun is "they", unchanged.
    mass,
    name  ///< Without an article.
  } use = Use::countable;
};

/// A name for several kinds, which may be used wherever that of a kind may.
struct KindSet {
  std::string name;
  std::string kinds;  ///< The names of kinds, or of sets before this one.
};

}  // namespace headscope
