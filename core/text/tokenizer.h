#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// `word`: splits at white space, makes . , ! ? ; : ( ) " and their typographic kin (“ ” „ « » — … ¿ ¡)
/// tokens of their own, keeps apostrophes, shows the word as typed and looks it up in lower case with ’ as '.
/// `seed1`: what seeds/1 does: removes ,';#$@&)( , splits at white space, numbers the sorted list of all
/// words; a repeated word keeps its last number, so ids skip and renumber as words come.
enum class TokenizerKind { word, seed1 };

struct Token {
  std::string text;    ///< as typed (seed1: without the removed characters); valid UTF-8
  std::string lookup;  ///< what the vocabulary or the embedding is asked for
  int id = 0;          ///< word: order of first appearance in this sentence; seed1: as above
  bool operator==(const Token&) const = default;
};

/// Tokens of a sentence. Invalid UTF-8 is replaced by U+FFFD first; any white space (tab, newline,
/// no-break space) separates, and so do control characters and spaces of no width.
std::vector<Token> tokenize(std::string_view sentence, TokenizerKind kind);

/// For every old token the index of the same token after an edit, or −1 if it was removed. Tokens are matched
/// by their lookup text along a longest common subsequence (Myers 1986), so what is selected follows its
/// word. O((n + m) · edits); common beginnings and ends cost nothing. Between them, at most 1000 edits are
/// followed; after more only the beginnings and ends match.
std::vector<int> follow_tokens(const std::vector<Token>& before, const std::vector<Token>& after);

}  // namespace headscope
