#pragma once

#include <string>
#include <vector>

#include "core/page/page_inputs.h"
#include "core/page/parts/attention_lines.h"

namespace headscope {

/// At most so many lines are drawn: more can be told apart neither by eyes nor in time.
inline constexpr std::size_t most_lines = 2000;
/// Longer texts have no page of lines.
inline constexpr int longest_lined = 1024;

/// Weights, those after dropout, or effective weights: whichever is selected, else weights.
StageKind lined_kind(const PageInputs& in);
/// The picked heads, or the selected one.
std::vector<HeadPlace> lined_heads(const PageInputs& in);
/// Whose lines are drawn: of the token under the mouse, of those that are picked, of the selected query;
/// empty: of all.
PickedTokens lined_tokens(const PageInputs& in);
/// Which of the keys the session hides: 1 where it does; empty where it hides none.
std::vector<std::uint8_t> hidden_keys(const std::vector<Token>& keys, const HiddenKeys& hidden);

struct ShownLines {
  const FoundLines* found = nullptr;  ///< null: they are not there, for this reason
  std::string problem;
  PickedTokens from;  ///< whose they are
};
/// What takes long is left to `tools.carry_out`; until it is done for a token under the mouse, the lines
/// without it are shown.
ShownLines shown_lines(const PageInputs& in, PageTools& tools);

/// What is drawn and what is not, a paragraph each.
std::vector<std::string> line_statements(const PageInputs& in, const ShownLines& shown);

}  // namespace headscope
