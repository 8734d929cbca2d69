#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// A token without its texts, as it is put together.
struct PlacedToken {
  int id = 0;
  TextSpan span;       ///< in the text that was given; empty: nowhere
  int text_index = 0;  ///< 0, or 1 for the second text of a pair
  int type_id = 0;
  int word = -1;  ///< which word of its text it is of; −1: none
  bool is_special = false;
};

/// A part of a template: one of the texts, or special tokens.
struct TemplatePart {
  std::optional<int> text_index;
  std::vector<int> special_ids;
  int type_id = 0;
};

/// What puts special tokens around a text, and around two.
struct PostProcessor {
  /// Whether the spans of tokens leave out spaces at their ends (letters for bytes: Ġ).
  bool trims_spans = false;
  /// With that: whether a space was put before the text, so that a single one at its beginning stays.
  bool has_prefix_space = true;
  /// Empty: the texts one after another; the type of the second one is 1.
  std::vector<TemplatePart> single, pair;
};

/// The tokens of one text or two as a model reads them.
std::vector<PlacedToken> post_processed(std::vector<PlacedToken> first,
                                        std::optional<std::vector<PlacedToken>> second,
                                        const PostProcessor& processor, bool adds_special);

}  // namespace headscope
