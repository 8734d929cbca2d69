#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// The text of a capture: its tokens are given, and no other text can be read.
struct CapturedText {
  std::string
      text;  ///< The tokens as one text, joined directly if they contain their spaces, otherwise with spaces.
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// The distinct tokens of the texts of a capture.
struct CapturedPieces {
  std::vector<std::string> shown;            ///< As people read them, by id.
  std::unordered_map<std::string, int> ids;  ///< By the token as the file has it.
};

/// Makes a text from tokens as other programs write them. Letters such as “Ġ”, if there are any, stand for
/// bytes, as in GPT-2's vocabulary; “▁” stands for a space, as in sentencepiece; “##” continues a word, as in
/// BERT's vocabulary. Tokens that are not yet among the pieces are added to them.
CapturedText captured_text(const std::vector<std::string>& tokens, CapturedPieces& pieces);

}  // namespace headscope
