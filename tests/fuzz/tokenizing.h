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
    EncodeOptions options;
    options.add_special = adds_special;
    options.pair = text.substr(text.size() / 2);
    next_work();
    const auto tokens = tokenizer.encode(text, options);
    next_work();
    const auto ids = tokenizer.ids(text, options);
    next_work();
    require(tokens.has_value() == ids.has_value(), "tokens and ids are refused alike");
    if (!tokens) return require_readable(tokens.error().message);
    require(tokens->size() == ids->size(), "there are as many ids as tokens");
    std::size_t n_in_words = 0;
    for (const TokenRange& word : words_of(*tokens)) n_in_words += word.last - word.first;
    require(n_in_words == tokens->size(), "every token is in one word");
    for (const ModelToken& token : *tokens) {
      const std::string_view own = token.text_index == 0 ? text : *options.pair;
      require(token.token.span.begin <= token.token.span.end && token.token.span.end <= own.size(),
              "a span is in its text");
      require(is_utf8(token.token.text), "what is shown is UTF-8");
    }
    const auto decoded = tokenizer.decode(*ids, adds_special);
    if (!decoded) return require_readable(decoded.error().message);
    require(is_utf8(*decoded), "what is decoded is UTF-8");
  }
}

}  // namespace headscope::fuzzing
