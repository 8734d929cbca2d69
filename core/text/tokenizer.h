#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// `word`: splits at white space, makes . , ! ? ; : ( ) " and their typographic kin (“ ” „ « » — … ¿ ¡)
/// tokens of their own, keeps apostrophes, shows the word as typed and looks it up in lower case with ’ as '.
/// `seed1`: what seeds/1 does: removes ,';#$@&)( , splits at white space, numbers the sorted list of all
/// words; a repeated word keeps its last number, so ids skip and renumber as words come.
/// `model`: the one that came with the model.
/// `ids`: the text is a list of ids, such as "15, 2, 7", whatever their pieces are.
enum class TokenizerKind { word, seed1, model, ids };

/// A word as pictures and sentences show it: of a very long one only the beginning, so that it costs no more
/// than its place.
std::string shown_word(std::string_view word);

/// Bytes of a text, from `begin` to before `end`.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

struct Token {
  std::string text;    ///< as typed (seed1: without the removed characters); valid UTF-8
  std::string lookup;  ///< what the vocabulary or the embedding is asked for
  /// word: order of first appearance in this sentence; seed1: as above; model, ids: the model's, or −1 where
  /// what stands there is no id.
  int id = 0;
  TextSpan span = {};       ///< where it stands in the text that was typed; empty: nowhere
  bool is_special = false;  ///< whether it is a token of the model (“[CLS]”, “</s>”), added or typed
  bool continues_word = false;  ///< whether it is a sub-word of the same word as the token before it
  int segment = 0;              ///< 1: of the second text of a pair, for models that tell them apart
  /// Whether they say the same, wherever they stand.
  friend bool operator==(const Token& a, const Token& b) {
    return a.text == b.text && a.lookup == b.lookup && a.id == b.id;
  }
};

/// A way to make tokens of a text. Immutable; any thread may use it.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual TokenizerKind kind() const = 0;
  /// Invalid UTF-8 is replaced by U+FFFD first; any white space (tab, newline, no-break space) separates, and
  /// so do control characters and spaces of no width.
  virtual std::vector<Token> tokenize(std::string_view text) const = 0;
  /// The text with a token behind it, so that its tokens end with this one: a word after a space, of a
  /// model's own tokenizer what its piece decodes to. A piece that is a part of a character stays U+FFFD.
  virtual std::string with_next(std::string_view text, const Token& next) const;

 protected:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = default;
  Tokenizer(Tokenizer&&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;
  Tokenizer& operator=(Tokenizer&&) = default;
};

/// The tokenizer of a kind; it lives as long as the program. That of a model is not among them: without the
/// model, its texts are split into words.
const Tokenizer& tokenizer(TokenizerKind kind);

/// Tokens of a sentence by the tokenizer of that kind.
std::vector<Token> tokenize(std::string_view sentence, TokenizerKind kind);

/// For every old token the index of the same token after an edit, or −1 if it was removed. Tokens are matched
/// by their lookup text along a longest common subsequence (Myers 1986), so what is selected follows its
/// word. O((n + m) · edits); common beginnings and ends cost nothing. Between them, at most 1000 edits are
/// followed; after more only the beginnings and ends match.
std::vector<int> follow_tokens(const std::vector<Token>& before, const std::vector<Token>& after);

}  // namespace headscope
