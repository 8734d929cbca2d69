#pragma once

#include <string>
#include <vector>

#include "core/page/page_inputs.h"
#include "core/page/parts/attention_lines.h"

namespace headscope {

/// The maximum number of drawn lines. More would be indistinguishable and slow.
inline constexpr std::size_t max_drawn_lines = 2000;
/// Texts longer than this cannot be shown as lines.
inline constexpr int max_lined_tokens = 1024;

/// The selected stage if it is weights (before or after dropout, or effective). Otherwise, the weights.
StageKind line_stage_kind(const PageInputs& in);
/// The picked heads or, if none are picked, the selected one.
std::vector<HeadIndex> line_heads(const PageInputs& in);
/// The tokens whose lines are drawn: the token under the mouse, or else the picked tokens, or else the
/// selected query. Empty for all tokens.
PickedTokens line_tokens(const PageInputs& in);
/// The drawn tokens along an axis: each by itself, or the sub-words of a word as one.
struct DrawnTokens {
  std::vector<std::string> texts;
  std::vector<int> first;  ///< The first token of each word. Empty if each token is drawn by itself.

  int token_of(int drawn) const { return first.empty() ? drawn : first[static_cast<std::size_t>(drawn)]; }
  /// The index of a token among them.
  int place_of(int token) const;
};
DrawnTokens drawn_tokens(const PageInputs& in, Axis axis);
/// One value per drawn key, as in hidden_keys().
std::vector<std::uint8_t> hidden_drawn_keys(const PageInputs& in);
/// One value per key, which is 1 if the session hides the key. Empty if it hides none.
std::vector<std::uint8_t> hidden_keys(const std::vector<Token>& keys, const HiddenKeys& hidden);

struct ShownLines {
  const FoundLines* found = nullptr;  ///< Null if there are no lines, for the reason in `problem`.
  std::string problem;
  PickedTokens from;  ///< The tokens whose lines these are, by their places among the drawn tokens.
};
/// Finds the lines to draw. While those of a token under the mouse are being found, returns those without it.
ShownLines shown_lines(const PageInputs& in, PageTools& tools);

/// Describes what is drawn and what is not, in one paragraph each.
std::vector<std::string> line_statements(const PageInputs& in, const ShownLines& shown);

}  // namespace headscope
