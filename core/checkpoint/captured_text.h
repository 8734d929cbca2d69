#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// The text of a capture: its tokens are given, and no other text can be read.
struct CapturedText {
  std::string
      text;  ///< The tokens as one text: one after another if they bring their spaces, otherwise spaced.
  std::vector<std::string> pieces;  ///< The distinct tokens, as people read them, by id.
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// Makes the text of tokens as programs write them. Letters such as “Ġ” stand for bytes, if there are any, as
/// in the pieces of GPT-2's vocabulary; “▁” stands for a space, as in sentencepiece's; “##” continues a word,
/// as in BERT's.
CapturedText captured_text(const std::vector<std::string>& tokens);

}  // namespace headscope
