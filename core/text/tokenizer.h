#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// How a text is split into tokens.
/// `word`: splits at white space; makes . , ! ? ; : ( ) " and their typographic counterparts (“ ” „ « » — … ¿
/// ¡) separate tokens; keeps apostrophes; shows a word as typed and looks it up in lower case with ’ replaced
/// by '.
/// `seed1`: follows seeds/1: removes ,';#$@&)( , splits at white space, and numbers the sorted list of all
/// words. A repeated word keeps its last number, so ids have gaps and change as words are added.
/// `model`: uses the tokenizer that came with the model.
/// `ids`: reads the text as a list of ids, such as "15, 2, 7", whatever text each id stands for.
enum class TokenizerKind { word, seed1, model, ids };

/// A word as pictures and sentences show it. A very long word is cut off, which bounds the cost of showing
/// it.
std::string shown_word(std::string_view word);

/// A range of bytes in a text, from `begin` up to but not including `end`.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

struct Token {
  std::string text;    ///< as typed (seed1: without the removed characters); valid UTF-8
  std::string lookup;  ///< The text to look up in the vocabulary or the embedding.
  /// For `word`, the order of first appearance in the sentence; for `seed1`, the number described above; for
  /// `model` and `ids`, the model's id, or −1 if the text is not an id.
  int id = 0;
  TextSpan span = {};       ///< its bytes in the typed text; empty if it stands for none of them
  bool is_special = false;  ///< whether it is a token of the model (“[CLS]”, “</s>”), added or typed
  bool continues_word = false;  ///< whether it is a sub-word of the same word as the token before it
  int segment = 0;              ///< 1 in the second text of a pair, for models that distinguish the two
  /// Whether two tokens are the same, regardless of their places in a text.
  friend bool operator==(const Token& a, const Token& b) {
    return a.text == b.text && a.lookup == b.lookup && a.id == b.id;
  }
};

/// Whether a token consists only of punctuation.
bool is_mark(const Token& token);

/// Splits a text into tokens. Immutable, and safe to use from any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual TokenizerKind kind() const = 0;
  /// Replaces invalid UTF-8 by U+FFFD before splitting. Any white space (tab, newline, no-break space)
  /// separates words, and so do control characters and zero-width spaces.
  virtual std::vector<Token> tokenize(std::string_view text) const = 0;
  /// Returns the text extended by tokens, so that its tokens end with these. A word is appended after a
  /// space; a model's own tokenizer appends what the pieces decode to together. Pieces that are only a part
  /// of a character stay U+FFFD.
  virtual std::string with_next(std::string_view text, std::span<const Token> next) const;

 protected:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = default;
  Tokenizer(Tokenizer&&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;
  Tokenizer& operator=(Tokenizer&&) = default;
};

/// The built-in tokenizer of a kind, which lives as long as the program. There is none for
/// TokenizerKind::model: without the model, its texts are split into words.
const Tokenizer& tokenizer(TokenizerKind kind);

/// Splits a sentence with the built-in tokenizer of that kind.
std::vector<Token> tokenize(std::string_view sentence, TokenizerKind kind);

/// Returns, for every old token, the index of the same token after an edit, or −1 if it was removed. Tokens
/// are matched by their lookup text along a longest common subsequence, which lets a selection follow its
/// word. Common beginnings and ends cost nothing. If what lies between them has more than 16 million pairs of
/// tokens, it is not followed.
std::vector<int> follow_tokens(const std::vector<Token>& before, const std::vector<Token>& after);

}  // namespace headscope
