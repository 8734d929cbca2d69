#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/budget.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/added_tokens.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {

/// A token during post-processing.
struct PlacedToken {
  int id = 0;
  TextSpan span;  ///< In the original text; may be empty
  int word = -1;  ///< Index of its word in the text, or −1
  bool is_special = false;
};

/// The special tokens around a text.
struct PostProcessor {
  /// Whether token spans exclude outer spaces (Ġ in byte letters).
  bool trims_spans = false;
  /// With `trims_spans`: whether a space was prepended, so that a single leading space is kept.
  bool has_prefix_space = true;
  /// The ids of special tokens; std::nullopt stands for the text. Empty for the text alone.
  std::vector<std::optional<int>> parts;
};

/// Special tokens before and after the text.
PostProcessor make_post_processor(const std::vector<int>& begin, const std::vector<int>& end);

/// The notation of pieces, for displaying them.
struct PieceNotation {
  bool has_byte_letters = false;  ///< Byte letters: "Ġthe"
  std::string space_mark{};       ///< "▁" if it denotes a space
  std::string word_suffix{};      ///< Such as "</w>".
};

/// All parts of a tokenizer in processing order, independent of its file format.
struct TokenizerParts {
  AddedTokens added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  SubwordModelPtr model;  ///< Never null
  PostProcessor post_processor;
  Decoder decoder;
  SpecialIds special_ids;
  PieceNotation writing;
  std::string doubt{};  ///< ModelTokenizer::doubt()
};

}  // namespace headscope
