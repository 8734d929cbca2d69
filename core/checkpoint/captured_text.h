#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// The text of a capture, whose tokens are fixed: its tokenizer reads no other text.
struct CapturedText {
  /// The tokens joined directly if they contain their spaces, otherwise with spaces.
  std::string text;
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// The distinct tokens of the texts of a capture.
struct CapturedPieces {
  std::vector<std::string> shown;            ///< As people read them, by id.
  std::unordered_map<std::string, int> ids;  ///< By the token as the file has it.
};

/// Makes a text from another program's tokens. Letters such as “Ġ” stand for bytes, as in GPT-2's vocabulary;
/// “▁” stands for a space, as in sentencepiece; “##” continues a word, as in BERT's vocabulary. Adds new
/// tokens to the pieces.
CapturedText captured_text(const std::vector<std::string>& tokens, CapturedPieces& pieces);

}  // namespace headscope
