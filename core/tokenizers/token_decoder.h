#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// A decoding step. Fails if a regular expression takes too many steps. Throws OverBudget.
using DecoderStep = std::function<Result<std::vector<std::string>>(std::vector<std::string>, Budget&)>;
using Decoder = std::vector<DecoderStep>;

/// Decodes byte letters, with invalid UTF-8 as U+FFFD.
DecoderStep decode_byte_letters();
/// Appends pieces with the prefix to the previous piece, and others after a space. `cleans_up` removes spaces
/// before . , ! ? and in contractions (don't).
DecoderStep decode_word_pieces(std::string prefix = "##", bool cleans_up = true);
/// Replaces marks by spaces, dropping a prepended one.
DecoderStep decode_metaspace(std::string mark, bool was_prepended);
/// Replaces word suffixes by spaces.
DecoderStep decode_word_suffix(std::string suffix);
/// Decodes byte pieces like <0xE2>, with invalid UTF-8 as U+FFFD.
DecoderStep decode_byte_fallback();
DecoderStep fuse_tokens();
/// Strips up to n_begin and n_end occurrences of `content` from the ends of each token.
DecoderStep decode_strip(std::string content, int n_begin, int n_end);
DecoderStep decode_replace(Regex pattern, std::string content);

/// sentencepiece's decoding: ▁ becomes a space, except the first one; byte pieces are decoded; the unknown
/// piece becomes `unknown_surface`.
struct SentencePieceDecoding {
  bool drops_first_space = true;
  bool drops_all_first_spaces = true;
  std::string unknown = "<unk>";
  std::string unknown_surface = " ⁇ ";
};
DecoderStep decode_sentencepiece(SentencePieceDecoding rules);

/// Decodes tokens to valid UTF-8. Without steps, joins them by spaces. Fails if a regular expression takes
/// too many steps. Throws OverBudget.
Result<std::string> decoded(std::vector<std::string> tokens, const Decoder& decoder, Budget& budget);

/// Replaces all occurrences of `from`, unless it is empty.
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace headscope
