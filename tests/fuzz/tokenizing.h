#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/text/utf8.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/tokenizer_parts.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope::fuzzing {

/// Checks what must hold for the tokens that any tokenizer makes from any text.
inline void check_tokenizer(TokenizerParts parts, std::string_view text) {
  constexpr std::size_t longest_text = 2000;
  text = text.substr(0, longest_text);
  const ModelTokenizer tokenizer(std::move(parts));
  for (const bool adds_special : {false, true}) {
    next_work();
    const auto tokens = tokenizer.encode(text, adds_special);
    next_work();
    const auto ids = tokenizer.ids(text, adds_special);
    next_work();
    require(tokens.has_value() == ids.has_value(), "tokens and ids are refused alike");
    if (!tokens) return require_readable(tokens.error().message);
    require(tokens->size() == ids->size(), "there are as many ids as tokens");
    for (const ModelToken& token : *tokens) {
      require(token.token.span.begin <= token.token.span.end && token.token.span.end <= text.size(),
              "a span is in its text");
      require(is_utf8(token.token.text), "what is shown is UTF-8");
    }
    const auto decoded = tokenizer.decode(*ids, adds_special);
    if (!decoded) return require_readable(decoded.error().message);
    require(is_utf8(*decoded), "what is decoded is UTF-8");
  }
}

}  // namespace headscope::fuzzing
