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

/// A word for display, truncated if very long. A placeholder of a vocabulary is named, like "unknown word".
std::string display_word(std::string_view word);
/// A word in quotation marks for a sentence, without the leading space of a piece.
std::string quoted_word(std::string_view word);

/// A byte range [begin, end) of a text.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

struct Token {
  std::string text;    ///< as typed (seed1: without removed characters); valid UTF-8
  std::string lookup;  ///< the key in the vocabulary or embedding
  /// For `word`, the order of first appearance in the sentence; for `seed1`, the number described above; for
  /// `model` and `ids`, the model's id, or −1 if the text is not an id.
  int id = 0;
  TextSpan span = {};           ///< its bytes in the typed text; may be empty
  bool is_special = false;      ///< whether it is a special token (“[CLS]”, “</s>”), added or typed
  bool continues_word = false;  ///< whether it continues the word of the previous token
  int segment = 0;              ///< 1 in the second text of a pair, for models with segments
  /// Equality regardless of position.
  friend bool operator==(const Token& a, const Token& b) {
    return a.text == b.text && a.lookup == b.lookup && a.id == b.id;
  }
};

/// Whether a token consists only of punctuation.
bool is_mark(const Token& token);

/// The ids of tokens, in order.
std::vector<int> ids_of(std::span<const Token> tokens);

/// Splits a text into tokens. Immutable and thread-safe.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual TokenizerKind kind() const = 0;
  /// Tokenizes a text. Invalid UTF-8 becomes U+FFFD. White space of any kind, control characters and
  /// zero-width spaces separate words.
  virtual std::vector<Token> tokenize(std::string_view text) const = 0;
  /// Appends tokens to a text, so that it tokenizes to end with them: words after a space; with a model's
  /// tokenizer, the decoded pieces. Incomplete characters become U+FFFD.
  virtual std::string with_appended_tokens(std::string_view text, std::span<const Token> next) const;

 protected:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = default;
  Tokenizer(Tokenizer&&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;
  Tokenizer& operator=(Tokenizer&&) = default;
};

/// The built-in tokenizer of a kind, with static lifetime. For TokenizerKind::model, the word tokenizer.
const Tokenizer& tokenizer(TokenizerKind kind);

/// Tokenizes a sentence with the built-in tokenizer of a kind.
std::vector<Token> tokenize(std::string_view sentence, TokenizerKind kind);

/// Aligns tokens before and after an edit, so that selections follow their words: the new index of every old
/// token, or −1. Uses a longest common subsequence of lookup texts, after stripping common prefixes and
/// suffixes; gives up on more than 16 million pairs in between.
std::vector<int> align_tokens(const std::vector<Token>& before, const std::vector<Token>& after);

}  // namespace headscope
