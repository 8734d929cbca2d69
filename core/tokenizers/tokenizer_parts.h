#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/budget.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/added_tokens.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/normalizer.h"
#include "core/tokenizers/pre_tokenizer.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/token_decoder.h"

namespace headscope {

/// A token without its texts, while tokens are put together.
struct PlacedToken {
  int id = 0;
  TextSpan span;       ///< In the given text. Empty if the token stands for none of it.
  int text_index = 0;  ///< 0, or 1 for the second text of a pair
  int type_id = 0;
  int word = -1;  ///< The index of its word in the text. −1 if it belongs to none.
  bool is_special = false;
};

/// A part of a template: one of the texts, or special tokens.
struct TemplatePart {
  std::optional<int> text_index;
  std::vector<int> special_ids;
  int type_id = 0;
};

/// How special tokens are put around one text, and around a pair.
struct PostProcessor {
  /// Whether the spans of tokens exclude spaces at their ends (in byte letters, Ġ).
  bool trims_spans = false;
  /// Used with `trims_spans`. Whether a space was put before the text, so that a single space at its
  /// beginning stays.
  bool has_prefix_space = true;
  /// If empty, the texts follow one another, and the type of the second one is 1.
  std::vector<TemplatePart> single, pair;
};

/// Puts special tokens around one text A, BEGIN A END, and around a pair, BEGIN A BETWEEN AGAIN B END. The
/// second text has the type `second_type`, and so have the tokens beside it from AGAIN on.
PostProcessor around_texts(const std::vector<int>& begin, const std::vector<int>& end,
                           const std::vector<int>& between, const std::vector<int>& again, int second_type);

/// The tokens of one or two texts as a model reads them. Throws OverBudget.
std::vector<PlacedToken> post_processed(std::vector<PlacedToken> first,
                                        std::optional<std::vector<PlacedToken>> second,
                                        const PostProcessor& processor, bool adds_special, Budget& budget);

/// How the pieces of a vocabulary are written, for showing them to people.
struct PieceWriting {
  bool has_byte_letters = false;  ///< Pieces look like "Ġthe".
  std::string space_mark{};       ///< "▁" if it stands for a space.
  std::string word_suffix{};      ///< Such as "</w>".
};

/// All parts of a tokenizer, whatever file it was read from, in the order in which a text passes through
/// them.
struct TokenizerParts {
  AddedTokens added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  SubwordModelPointer model;  ///< Never null.
  PostProcessor post_processor;
  Decoder decoder;
  SpecialIds special_ids;
  PieceWriting writing;
};

}  // namespace headscope
