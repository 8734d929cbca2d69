#include "core/checkpoint/captured_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

constexpr std::string_view continues = "##";

/// Whether the tokens are pieces of a byte-level vocabulary, whose letters stand for bytes.
bool are_byte_letters(const std::vector<std::string>& tokens) {
  return std::ranges::any_of(tokens, [](const std::string& token) { return token.starts_with("Ġ"); }) &&
         std::ranges::none_of(tokens,
                              [](const std::string& token) { return token.find(' ') != std::string::npos; });
}

/// The readable form of a token.
std::string as_read(std::string token, bool of_byte_letters) {
  token = valid_utf8(token);
  // Tokens outside the byte-level vocabulary, such as “<|endoftext|>”, may contain other letters.
  if (of_byte_letters) return valid_utf8(bytes_of_letters(token).value_or(token));
  replace_all(token, "▁", " ");
  return token;
}

/// A marker such as “<|endoftext|>”, “</s>” and “[CLS]”.
bool is_marker(std::string_view token) {
  if (token.size() < 3) return false;
  const bool is_enclosed =
      (token.front() == '<' && token.back() == '>') || (token.front() == '[' && token.back() == ']');
  return is_enclosed &&
         std::ranges::any_of(token, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

/// Whether this letter may continue a word. Letters beyond ASCII count.
bool is_in_word(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x80U || std::isalnum(byte) != 0;
}

/// The token as pictures show it: with marks for line ends and tabs, and ∅ if it is empty.
std::string shown(std::string_view token) {
  return token.empty() ? "∅" : display_text(token);
}

/// The tokenizer of a capture, which can split only the captured text.
class OfCapture : public Tokenizer {
 public:
  OfCapture(std::string text, std::vector<Token> tokens)
      : text_(std::move(text)), tokens_(std::move(tokens)) {}

  TokenizerKind kind() const override { return TokenizerKind::model; }
  std::vector<Token> tokenize(std::string_view text) const override {
    if (text == text_) return tokens_;
    constexpr int no_id = -1;
    Token token;
    token.text = "a capture has the attention of its own text, which cannot be changed";
    token.id = no_id;
    token.span = {0, text.size()};
    return {token};
  }

 private:
  std::string text_;
  std::vector<Token> tokens_;
};

}  // namespace

CapturedText captured_text(const std::vector<std::string>& tokens, CapturedPieces& pieces) {
  std::vector<std::string> texts;
  const bool of_byte_letters = are_byte_letters(tokens);
  for (const std::string& token : tokens) texts.push_back(as_read(token, of_byte_letters));
  const bool bring_spaces = std::ranges::any_of(
      texts, [](const std::string& text) { return text.size() > 1 && text.starts_with(' '); });
  CapturedText captured;
  std::vector<Token> placed;
  for (const std::string& text : texts) {
    Token token;
    token.is_special = is_marker(text);
    const bool continues_piece =
        !bring_spaces && text.size() > continues.size() && text.starts_with(continues);
    const std::string_view read = std::string_view(text).substr(continues_piece ? continues.size() : 0);
    const bool follows_word = !placed.empty() && !placed.back().is_special && !captured.text.empty() &&
                              is_in_word(captured.text.back());
    token.continues_word = continues_piece || (bring_spaces && follows_word && !token.is_special &&
                                               !read.empty() && is_in_word(read.front()));
    if (!bring_spaces && !continues_piece && !captured.text.empty()) captured.text += ' ';
    token.span = {captured.text.size(), captured.text.size() + read.size()};
    captured.text += read;
    token.text = shown(text);
    token.lookup = token.text;
    const auto [known, is_new] =
        pieces.ids.emplace(tokens[placed.size()], static_cast<int>(pieces.shown.size()));
    token.id = known->second;
    if (is_new) pieces.shown.push_back(token.text);
    placed.push_back(std::move(token));
  }
  captured.tokenizer = std::make_shared<const OfCapture>(captured.text, std::move(placed));
  return captured;
}

}  // namespace headscope
